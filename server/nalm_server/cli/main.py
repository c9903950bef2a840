# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-server`: a table of its commands, each imported when it is called."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "project": "project:project_app",
    "token": "token:token_app",
    "account": "access:account_app",
    "member": "access:member_app",
    "agent": "agent:agent_app",
    "pool": "agent:pool_app",
    "demo": "demo.command:demo",
    "settings": "settings:settings_command",
    "job": "job:job_app",
    "schedule": "schedule:schedule_app",
    "alert": "alert:alert_app",
    "up": "up:up",
    "serve": "work:serve",
    "worker": "work:worker",
    "beat": "work:beat",
    "migrate": "up:migrate_command",
    "backup": "store:backup",
    "restore": "store:restore",
    "export": "store:export",
    "import": "store:import_command",
    "retention": "store:retention",
    "functions": "store:functions",
    "reports": "reports:reports_app",
    "backfill": "job:backfill",
    "bisect": "job:bisect",
    "experiment": "job:experiment",
    "judge": "judge:judge",
    "reference": "features:reference",
}
"""Name to module and attribute: a group of commands, or a function that is one."""


class _Lazy(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        return _command(getattr(import_module(f"nalm_server.cli.{module}"), name), cmd_name)


def _command(found: Any, name: str) -> Any:
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False)
        alone.command()(found)
        command = typer.main.get_command(alone)
    command.name = name
    return command


app = typer.Typer(cls=_Lazy, no_args_is_help=True, pretty_exceptions_enable=False)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"nalm-server {version('nalm-server')}")
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
