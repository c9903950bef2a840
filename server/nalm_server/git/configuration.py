# SPDX-License-Identifier: Apache-2.0
"""What the server can tell of a nalm.toml: agents read its keys. Pure."""

from __future__ import annotations

import tomllib

FILE_NAME = "nalm.toml"
MOST_BYTES = 131_072
TABLES = ("project", "build", "run", "scenarios")
"""Tables that a nalm.toml must have."""


def fault(text: str) -> str | None:
    """Why the text is no nalm.toml; None: the server finds nothing wrong."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not valid TOML: {error}"
    missing = [name for name in TABLES if not isinstance(tables.get(name), dict)]
    return f"it has no table [{missing[0]}]" if missing else None
