# SPDX-License-Identifier: Apache-2.0
"""`nalm gdb`: debugs an NF with the figures of its probe."""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_agent.gdb.run import run_gdb, source_line
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm gdb -- -p 4711  then: nalm stages, nalm since",
            "nalm gdb -- --args build/my-nf -l 0",
            "nalm gdb -- build/my-nf core.4711  a core dump",
            "nalm gdb --print >> ~/.gdbinit",
        )
    )(gdb)


def gdb(
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="-- [GDB ARGUMENTS]", help="Passed to gdb unchanged.")
    ] = None,
    *,
    print_source: Annotated[
        bool,
        typer.Option("--print", help="Print the line that loads the commands, for .gdbinit or an editor."),
    ] = False,
) -> None:
    """Debug an NF with the figures of its probe: `nalm stages`, `nalm since`, `nalm lcores` inside gdb."""

    if print_source:
        typer.echo(source_line())
        return
    run_gdb(arguments or [])
