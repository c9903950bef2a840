# SPDX-License-Identifier: Apache-2.0
"""Placeholders of nalm.toml's commands, such as {build}."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
