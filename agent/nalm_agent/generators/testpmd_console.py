# SPDX-License-Identifier: Apache-2.0
"""The console of a testpmd process: lines in, text out."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.runtime.process import start_console, stop

ANSWER_S = 30.0
LAST_LINES = 2000
END_S = 5.0
MISTAKES = ("Command not found", "Bad arguments", "Ambiguous command")


class TestpmdConsole:
    """A started process. Its answers end at the echo of a comment that follows the lines."""

    __test__ = False

    def __init__(self, name: str, command: Sequence[str], answer_s: float | None = None) -> None:
        self._name = name
        self._answer_s = answer_s or ANSWER_S
        self._marks = 0
        try:
            # stdbuf: its text and the echo come in order
            self._console = start_console(["stdbuf", "-oL", *command])
        except OSError as error:
            raise GeneratorError(
                f"generator {name} could not be started: {error.strerror}", hint="install coreutils (stdbuf)"
            ) from error

    def say(self, *lines: str) -> str:
        """What the process said to these lines. Raises GeneratorError if it ended, or knows one not."""
        self._marks += 1
        mark = f"# nalm {self._marks}"
        text = self._exchange("".join(f"{line}\n" for line in (*lines, mark)), mark)
        if any(mistake in text for mistake in MISTAKES):
            raise GeneratorError(
                f"generator {self._name}: testpmd does not take {' / '.join(lines)}",
                hint="nalm needs the testpmd of DPDK 20.11 or later",
                log=text[-LAST_LINES:],
            )
        return text

    def close(self) -> None:
        """Ends the process. Never fails."""
        try:
            self._console.stdin.write(b"quit\n")
            self._console.stdin.close()
            self._console.child.wait(END_S)
        except (OSError, subprocess.TimeoutExpired):
            pass  # it ended, or does not listen
        finally:
            stop(self._console.child)
            self._console.stdout.close()

    def _exchange(self, said: str, mark: str) -> str:
        with suppress(OSError):  # it ended; what it said is read below
            self._console.stdin.write(said.encode())
            self._console.stdin.flush()
        output, text, end = self._console.stdout.fileno(), "", time.monotonic() + self._answer_s
        while mark not in text:
            left = end - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise GeneratorError(
                    f"generator {self._name}: testpmd did not answer within {self._answer_s:g} s",
                    hint="its command must have -i; over ssh, put `stdbuf -oL` before dpdk-testpmd",
                    log=text[-LAST_LINES:],
                )
            part = os.read(output, 65536)
            if not part:
                raise GeneratorError(
                    f"generator {self._name}: testpmd ended with exit code {self._console.child.wait()}",
                    hint="try its command by hand; another NF or testpmd may have its ports or its memory",
                    log=text[-LAST_LINES:],
                )
            text += part.decode(errors="replace")
        return text
