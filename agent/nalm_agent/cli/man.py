# SPDX-License-Identifier: Apache-2.0
"""`nalm man`: writes the manual pages of this version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent import version
from nalm_agent.report.output_file import write_file
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app as nalm
from nalm_agent.shell.examples import examples
from nalm_agent.shell.man_pages import man_pages


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm man ~/.local/share/man/man1 && man nalm-check"))(man)


def man(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Directory; created if it does not exist.")
    ],
) -> None:
    """Write a manual page for nalm and each of its commands."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{directory} cannot be created: {error.strerror}", hint="name a directory that you may write to"
        ) from error
    pages = man_pages(nalm, version())
    for name, text in pages.items():
        write_file(str(directory / name), text, "DIR")
    typer.echo(f"wrote {len(pages)} pages to {directory}")
