# SPDX-License-Identifier: Apache-2.0
"""Entry point of `nalm`. An interrupt during loading ends it silently; `--version` and completion do not
load a command."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from types import FrameType

from nalm_agent.shell.exit_codes import FAULT, UNREAD
from nalm_agent.shell.standard_output import name_standard_output


def _end(number: int, frame: FrameType | None) -> None:
    """Ends the process at once: nothing has started yet, so there is nothing to undo."""
    os.write(2, b"nalm: interrupted\n")
    os._exit(128 + number)


def _open_closed() -> None:
    """Opens the standard streams that the caller closed (`>&-`): another file would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def main() -> None:
    """Entry point of `nalm`."""
    _open_closed()
    name_standard_output()
    signal.signal(signal.SIGINT, _end)
    if sys.argv[1:] == ["--version"]:
        from nalm_core.release import release

        try:
            print(f"nalm {release('nalm-agent')}", flush=True)
        except BrokenPipeError:
            os._exit(UNREAD)
        except OSError as error:
            print(f"nalm: {error.filename} cannot be written: {error.strerror}", file=sys.stderr)
            os._exit(FAULT)
        return
    if "NALM_TOKEN" in os.environ:
        from nalm_agent.runtime.given_token import hide_token

        hide_token()
    gc.disable()  # loading leaves no garbage; the garbage collector starts with the command
    atexit.register(gc.freeze)  # and does not search all that was loaded when the process ends
    from nalm_agent.shell.app import app, run_app

    run_app(app)
