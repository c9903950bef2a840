# SPDX-License-Identifier: Apache-2.0
"""The option `--json [FILE]`, which is the same in every command of every program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

OPTION: Final = "--json"
METAVAR: Final = "[FILE]"
STDOUT: Final = "-"
"""In place of a file's name: standard output."""


def with_json_files(arguments: Sequence[str]) -> list[str]:
    """The arguments with a file after each `--json`: the next one if it is a file's name, else `-`.

    A name is `-`, a path that begins with `.` or `/`, or one with an extension of letters; a revision is none
    of these. `--json=NAME` takes any name.
    """
    found: list[str] = []
    for place, one in enumerate(arguments):
        if one == "--":
            return [*found, *arguments[place:]]
        found.append(one)
        if one == OPTION and not (place + 1 < len(arguments) and _names_a_file(arguments[place + 1])):
            found.append(STDOUT)
    return found


def _names_a_file(text: str) -> bool:
    suffix = PurePath(text).suffix[1:]
    return text == STDOUT or text.startswith(("/", "./", "../")) or (len(suffix) > 1 and suffix.isalpha())
