# SPDX-License-Identifier: Apache-2.0
"""`nalm init`: writes a first nalm.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.shell import options
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm init && nalm check"))(init)


def init(
    repo: options.RepoOption = Path(),
    *,
    headers: Annotated[
        bool, typer.Option("--headers", help="Write the headers nalm_probe.h and nalm_loop.h instead.")
    ] = False,
) -> None:
    """Write a first nalm.toml, derived from the repository's contents; never overwrites one."""
    from nalm_agent.config.location import root_to_be
    from nalm_agent.desk.init import write_first_config, write_headers
    from nalm_agent.report.console import Terminal

    if headers:
        for header in write_headers(repo.absolute()):
            typer.echo(f"wrote {header}")
        return
    path, remarks = write_first_config(root_to_be(repo), Terminal().say)
    typer.echo(f"wrote {path}")
    for remark in remarks:
        typer.echo(f"- {remark}")
