# SPDX-License-Identifier: Apache-2.0
"""Where `nalm` begins: an interrupt while the command is loaded ends it without a trace, and what needs no
command is answered before one is loaded."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from nalm_agent import version
from nalm_agent.shell.exit_codes import UNREAD


def _end(number: int, frame: FrameType | None) -> None:
    """Nothing was begun, so there is nothing to undo."""
    os.write(2, b"nalm: interrupted\n")
    os._exit(128 + number)


def main() -> None:
    """Entry point of `nalm`."""
    signal.signal(signal.SIGINT, _end)
    if sys.argv[1:] == ["--version"]:
        try:
            print(f"nalm {version()}", flush=True)
        except BrokenPipeError:
            os._exit(UNREAD)
        return
    from nalm_agent.shell.app import app, run_app

    run_app(app)
