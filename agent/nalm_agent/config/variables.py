# SPDX-License-Identifier: Apache-2.0
"""Environment variables that nalm.toml gives to the NF."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nalm_agent.config.placeholders import check_placeholders

VARIABLE_PLACEHOLDERS = frozenset({"source", "build", "run_dir", "config_dir"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("NALM_", "LD_PRELOAD", "GLIBC_TUNABLES", "LD_BIND_NOW")
"""Names, or their beginnings, of variables that nalm sets."""


def check_variables(variables: Mapping[str, str]) -> None:
    """Raises ValueError for a name that is none or that nalm sets, and for an unknown placeholder."""
    for name in variables:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a variable; expected letters, digits and _")
        if name.startswith(_OURS):
            raise ValueError(f"nalm itself sets {name}")
    check_placeholders(variables.values(), VARIABLE_PLACEHOLDERS)
