# SPDX-License-Identifier: Apache-2.0
"""Standard output whose errors say that they are its own."""

from __future__ import annotations

import io
import sys
from typing import Any

from nalm_agent.runtime.errors import STANDARD_OUTPUT


class _Named(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


def name_standard_output() -> None:
    """Gives errors of standard output its name, as those of files have theirs."""
    plain = sys.stdout
    if not isinstance(plain, io.TextIOWrapper):
        return
    named = io.BufferedWriter(_Named(plain.fileno(), "w", closefd=False))
    sys.stdout = io.TextIOWrapper(
        named,
        encoding=plain.encoding,
        errors=plain.errors,
        line_buffering=plain.line_buffering,
        write_through=plain.write_through,
    )
