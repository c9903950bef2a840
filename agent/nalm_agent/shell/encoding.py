# SPDX-License-Identifier: Apache-2.0
"""Limits output to what the terminal can show: Python treats the C locale as UTF-8, a terminal may not."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper

_LOOKS_LIKE = {"±": "+-", "…": "~", "▲": "^", "▼": "v"}
_ERRORS = "nalm-lookalike"


def respect_terminal() -> None:
    """With LC_ALL=C, writes plain ASCII to a terminal and UTF-8 to files and pipes. A character that cannot
    be shown never ends a command."""
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
    """Replaces characters that cannot be encoded by others of the same width, except signs in sentences."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_LOOKS_LIKE.get(one, "?") for one in letters), error.end
