# SPDX-License-Identifier: Apache-2.0
"""`nalm history`: shows a scenario's history from a nalm server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import GitError, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import scenario_names
from nalm_agent.shell.examples import examples

CHAIN = "chain"
_NAME_IT = "name it with --project, or run nalm inside the NF's repository"


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm history sfc_a --server https://nalm.example.org",
            "nalm history sfc_a --stage nat --metric ipp --rows 30",
            "nalm history sfc_a --stage nat --function flow_find",
            "nalm history sfc_a --stage nat --function flow_find --metric cpp  cycles, by samples",
            "nalm history sfc_a --metric core_eipc  per cycle of the core instead of the TSC",
            "nalm history sfc_a --branch release-2",
        )
    )(history)


def history(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="Scenario of nalm.toml.", autocompletion=scenario_names)
    ],
    *,
    stage: Annotated[
        str, typer.Option(metavar="NAME", help="A stage, or `chain` for the whole chain.")
    ] = CHAIN,
    function: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A C function of the stage; its metrics are ipp, calls, cpp and eipc."
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Metric: cpp, ipp, eipc, ncpp, pps, ...",
            show_default="cpp; ipp of a function",
        ),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A branch that the server measures.", show_default="the default branch"
        ),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Project of the server.", show_default="[project] name of nalm.toml"
        ),
    ] = None,
    host_class: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Class of the bench hosts.", show_default="that of the newest run"),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, max=1000, help="Number of commits in the table.")] = 15,
    json_file: options.JsonOption = None,
    server: options.ServerOption = None,
    token_file: options.TokenFileOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Show one metric along a branch: its course, changes of level, and the latest verdicts.

    A public project needs no token.
    """
    from urllib.parse import quote

    from nalm_core.wire.history import History, Lines

    from nalm_agent.desk.print_history import WIDEST, print_history
    from nalm_agent.desk.submit import upload_token
    from nalm_agent.report.print_run import console
    from nalm_agent.runtime.given_token import given_token
    from nalm_agent.server_api.client import require_address
    from nalm_agent.server_api.reads import ask

    require_place(json_file, "--json")
    if function is not None and stage == CHAIN:
        raise UsageError("--function needs a stage", hint="name the stage with --stage")
    if not server:
        raise UsageError("no server is named", hint="give its address with --server or in NALM_SERVER")
    token = upload_token(token_file) if token_file or given_token() else None
    name = project or _project(repo)
    under, named = f"/projects/{quote(name, safe='')}", quote(scenario, safe="")
    shown = stage if function is None else f"{stage}>{function}"
    query: dict[str, str | int] = {"stage" if function is None else "function": shown}
    query |= {"metric": metric or ("cpp" if function is None else "ipp"), "limit": max(rows, WIDEST)}
    if host_class is not None:
        query["host_class"] = host_class
    address = require_address(server)
    if branch is None:
        found = ask(address, token, f"{under}/scenarios/{named}/history", query, History)
    else:
        lines_query = query | {"scenario": scenario, "branch": branch}
        found = ask(address, token, f"{under}/lines", lines_query, Lines).history()
    write_json(json_file, found.model_dump_json())
    if json_file != STDOUT:
        print_history(console(), found, shown, rows)


def _project(repo: Path) -> str:
    """The project's name in the repository's nalm.toml. Raises UsageError if there is none to read."""
    from nalm_agent.config.location import config_path
    from nalm_agent.config.nalm_toml import parse

    try:
        path = config_path(repo)
        return parse(path.read_text(), str(path)).project.name
    except GitError as error:
        raise UsageError(f"{error.message}, and no project is named", hint=_NAME_IT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read, and no project is named", hint=_NAME_IT) from error
