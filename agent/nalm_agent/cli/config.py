# SPDX-License-Identifier: Apache-2.0
"""`nalm config`: checks nalm.toml and shows its metrics, and the margins in force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.report.output_file import require_place
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.shell import options
from nalm_agent.shell.completion import scenario_names
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm config",
            "nalm config --effective",
            "nalm config --effective --branch release/2 --scenario sfc_a",
        )
    )(config)


def config(
    *,
    effective: Annotated[
        bool, typer.Option("--effective", help="Show the margins in force, and the line that gives each.")
    ] = False,
    branch: options.BranchOption = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Scenario of nalm.toml; repeatable. Default: all.",
            autocompletion=scenario_names,
        ),
    ] = None,
    config_file: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Check nalm.toml of the working tree, and list what is measured beside packets and cycles."""
    from nalm_agent.config.location import config_path
    from nalm_agent.config.nalm_toml import FILE_NAME, parse
    from nalm_agent.desk.print_config import print_margins, print_metrics
    from nalm_agent.source.git import Repository
    from nalm_agent.source.given_config import NOT_UTF8, UTF8_HINT
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    path = config_path(repo) if config_file is None else config_file
    try:
        text = path.read_text()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}", hint="`nalm init` writes a first one"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} cannot be read: {NOT_UTF8}", hint=UTF8_HINT) from error
    found = parse(text, FILE_NAME if config_file is None else str(config_file))
    for name in scenario or ():
        found.scenario(name)
    if not effective:
        return print_metrics(found, text, json_file)
    if branch is None:
        with Home.default().work() as work:
            branch = Repository(repo.absolute(), work.fresh("git")).branch()
    return print_margins(found, text, scenario or list(found.scenarios), branch, json_file)
