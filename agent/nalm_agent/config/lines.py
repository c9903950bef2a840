# SPDX-License-Identifier: Apache-2.0
"""Finds the line of a key in TOML text, for error messages: tomllib keeps no positions."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TABLE = re.compile(r"^\s*+\[\[?+([^\]]++)\]\]?+\s*+(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def line_of(text: str, path: Sequence[str]) -> int:
    """Line (from 1) of the key at `path`, or of the nearest table or key above it; 1 if none is there."""
    best_line, best_length = 1, 0
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (header := _TABLE.match(line)) and not _KEY.match(line):
            table = here = _parts(header[1])
        elif key := _KEY.match(line):
            here = table + _parts(key[1])
        else:
            continue
        if len(here) > best_length and list(path[: len(here)]) == here:
            best_line, best_length = number, len(here)
    return best_line
