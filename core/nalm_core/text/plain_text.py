# SPDX-License-Identifier: Apache-2.0
"""Removes from foreign text everything that a terminal, a browser or an editor acts on.

The output of NFs and builds and the names of symbols, files, commits and processes may contain sequences that
clear the screen, set the clipboard, forge a line, or show text in another order than it is stored in
(ECMA-48; Boucher and Anderson, "Trojan Source", 2021).
"""

from __future__ import annotations

import re
from typing import Any, Final

MARK: Final = "\ufffd"
"""Replaces a character that cannot be shown."""
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    # Strings for the terminal itself. A string without an end must not hide the text after it.
    r"|(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]"
)
_ORDER = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_ACTED_ON = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_ORDER}\ud800-\udfff]")
"""Control characters except newline and tab, characters that change the order in which text is shown, and
halves of surrogate pairs, which no encoding accepts."""
_IN_JSON = re.compile(
    rf"{_ACTED_ON.pattern}|\\[bfr]|\\u(?:00[0189]|007f|061c|20[026]|d[89a-f])", re.IGNORECASE
)


def plain(text: str) -> str:
    """The text with newlines and tabs as its only control characters.

    Escape sequences are removed, a carriage return ends a line, and MARK replaces each other character.
    """
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return marked(_SEQUENCE.sub("", lines))


def marked(text: str) -> str:
    """The text with MARK for each of these characters, and nothing removed: for text of several parts, none
    of which may hide another."""
    return _ACTED_ON.sub(MARK, text)


def plain_line(text: str) -> str:
    """The plain text on one line, with single spaces."""
    return " ".join(plain(text).split())


def may_hold_controls(json_text: str) -> bool:
    """True if strings of this JSON document may contain characters that `plain` removes."""
    return _IN_JSON.search(json_text) is not None


def plain_document(value: Any) -> Any:
    """A document of `json.loads` with plain strings, including the names of members."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [plain_document(one) for one in value]
    if isinstance(value, dict):
        return {plain(name): plain_document(one) for name, one in value.items()}
    return value
