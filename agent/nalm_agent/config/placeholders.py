# SPDX-License-Identifier: Apache-2.0
"""Placeholders of nalm.toml's commands, such as {build}."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_ENDS = re.compile(r"[\s,;:=\"'`()<>|&]")
"""Where a path within a longer argument may end."""
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def check_placeholders(arguments: Iterable[str], known: frozenset[str]) -> None:
    """Raises ValueError for a placeholder that is not known there."""
    for argument in arguments:
        for name in _PLACEHOLDER.findall(argument):
            if name not in known:
                expected = ", ".join(f"{{{known_name}}}" for known_name in sorted(known))
                raise ValueError(
                    f"unknown placeholder {{{name}}} in {argument!r}; expected one of {expected}"
                )


def paths_after(place: str, argument: str) -> Iterator[list[str]]:
    """For each occurrence of a placeholder, what may be the path after it: up to each sign that may end one,
    shortest first."""
    for rest in argument.split(place)[1:]:
        yield [rest[:end] for end in [*(found.start() for found in _ENDS.finditer(rest)), len(rest)]]
