# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-server`: a table of its commands, each imported when it is called."""

from __future__ import annotations

import gc
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer
from nalm_core.release import release
from nalm_core.text.mistakes import in_words
from typer.core import TyperArgument, TyperGroup, TyperOption

COMMANDS = {
    "project": ("project:project_app", "NF repositories that are watched."),
    "token": ("token:token_app", "Tokens of agents, uploaders and administrators."),
    "account": ("access:account_app", "People who may sign in."),
    "member": ("access:member_app", "People's roles in a project."),
    "agent": ("agent:agent_app", "Bench hosts and their agents."),
    "pool": ("agent:pool_app", "Pools: which hosts measure which projects."),
    "demo": (
        "demo.command:demo",
        "Runs a history with planted changes through webhook, build, traffic, verdict and page.",
    ),
    "seed": (
        "seed.command:seed",
        "Adds a project of made-up commits, runs and alerts, to try a server and its page at size.",
    ),
    "settings": (
        "settings:settings_command",
        "Shows each setting with its source, secrets masked. Exit code 2: a setting is wrong.",
    ),
    "job": ("job:job_app", "Measurements that are queued, under way, or over."),
    "schedule": ("schedule:schedule_app", "The default branch measured at set times."),
    "alert": ("alert:alert_app", "Findings: what commits did, and what became of it."),
    "up": ("up:up", "Runs everything on this host: database, API, page, one agent. Ctrl-C stops it."),
    "serve": (
        "work:serve",
        "Serves API and page; `worker` and `beat` do the rest. Needs NALM_REDIS_URL and a migrated database.",
    ),
    "worker": (
        "work:worker",
        "Processes what the API stores: deliveries, jobs, notifications. Several may run.",
    ),
    "beat": (
        "work:beat",
        "Starts each kind of background work periodically, in case its message was lost. Several may run.",
    ),
    "migrate": (
        "up:migrate_command",
        "Migrates the database to this program's revision (`up` does so by itself).",
    ),
    "backup": (
        "store:backup",
        "Writes the database and the stored reports into one file, also while the server runs.",
    ),
    "restore": ("store:restore", "Restores a backup into an empty state: completely, or not at all."),
    "export": ("store:export", "Exports every row of a table; of series, every value."),
    "import": (
        "store:import_command",
        "Imports another tool's results, which are never judged, or nalm's own reports, which are.",
    ),
    "retention": ("store:retention", "Shows what is due for removal in each project; --apply removes it."),
    "functions": (
        "store:functions",
        "Adds C functions of stored reports to their histories, for runs from before these existed.",
    ),
    "links": (
        "links:links",
        "Shows how well a scenario's comparisons agree, and what further ones gain and cost.",
    ),
    "refinements": (
        "refinements:refinements",
        "Shows which undecided pairs idle hosts measure on; sets how long each day, and to which margin.",
    ),
    "reports": ("reports:reports_app", "The report store: run reports outside the database."),
    "backfill": ("job:backfill", "Measures the commits after FIRST up to LAST that have no result yet."),
    "bisect": (
        "job:bisect",
        "Searches for the commit between GOOD and BAD that changed a scenario, or one of its figures.",
    ),
    "experiment": (
        "job:experiment",
        "Measures features, variants, models, lcores, queues, flows or roles of one commit.",
    ),
    "judge": (
        "judge:judge",
        "Searches the histories of a project for change points, also while the server runs.",
    ),
    "reference": ("features:reference", "Shows or sets a project's reference commit: the scale of NCPP."),
}
"""Name to module and attribute (a group of commands, or a function that is one), and the first paragraph of
its help, so that a list of the commands loads none."""


class _Lazy(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        return _command(getattr(_loaded(f"nalm_server.cli.{module}"), name), cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _loaded(module: str) -> ModuleType:
    """Without garbage collection: almost everything that a module makes lives until the end."""
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def _command(found: Any, name: str) -> Any:
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command()(found)
        command = typer.main.get_command(alone)
    command.name = name
    return command


for _kind in (TyperOption, TyperArgument):
    _kind.process_value = in_words(_kind.process_value)  # type: ignore[method-assign]

app = typer.Typer(cls=_Lazy, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"nalm-server {release('nalm-server')}")
        raise typer.Exit


@app.callback()
def service(
    show_version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """nalm's service: API, page, webhooks, jobs."""


def main() -> None:
    app()


if __name__ == "__main__":
    main()
