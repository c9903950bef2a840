# SPDX-License-Identifier: Apache-2.0
"""What the terminal can show: Python takes the C locale for UTF-8, whoever sets it has less."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper

_LOOKS_LIKE = {"±": "+-", "…": "~", "▲": "^", "▼": "v"}
_ERRORS = "nalm-lookalike"


def respect_terminal() -> None:
    """LC_ALL=C: plain ASCII on a terminal, UTF-8 into files and pipes. What cannot be shown never ends a
    command."""
    codecs.register_error(_ERRORS, _lookalike)
    plain = os.environ.get("LC_ALL") in ("C", "POSIX")
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, TextIOWrapper):
            continue
        if plain and stream.isatty():
            stream.reconfigure(encoding="ascii", errors=_ERRORS)
        else:
            stream.reconfigure(errors=_ERRORS)


def _lookalike(error: UnicodeError) -> tuple[str, int]:
    """For text that is encoded; one column each, but for a sign within a sentence."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_LOOKS_LIKE.get(one, "?") for one in letters), error.end
