# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-server demo`."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from nalm_server.cli.console import PlainConsole
from nalm_server.cli.demo.errors import DemoError
from nalm_server.cli.demo.run import DemoOptions, run_demo

COULD_NOT = 4


def demo(
    state: Annotated[Path, typer.Option(help="Directory of repository, store and results.")] = Path(
        ".nalm/demo"
    ),
    source: Annotated[Path, typer.Option(help="The reference NF's sources.")] = Path("reference-nf"),
    host: Annotated[str, typer.Option(help="Address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve on.", min=1, max=65535)] = 8080,
    *,
    merges: Annotated[
        str | None, typer.Option(help="5: the first five merges; 1-4,8,9: these. Without it, all.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Exit after the verdicts, with code 1 if one is not as planted.")
    ] = False,
) -> None:
    """Runs a history with planted changes through webhook, build, traffic, verdict and page.

    A second run continues from the stored results.

    Examples:

      nalm-server demo

      nalm-server demo --port 9090 --state /var/tmp/nalm-demo

      nalm-server demo --once && echo "all as planted"
    """
    console = PlainConsole()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        code = run_demo(DemoOptions(state.resolve(), source.resolve(), host, port, once, merges), console)
    except DemoError as error:
        PlainConsole(stderr=True).print(
            f"nalm-server demo: {error}", highlight=False, markup=False, soft_wrap=True
        )
        code = COULD_NOT
    except KeyboardInterrupt:
        console.print("interrupted: all processes were stopped; run it again to continue", highlight=False)
        code = 130
    raise typer.Exit(code)
