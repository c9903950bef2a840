# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of agent or server require nalm-core of its own version. Core's hook: hatch_build.py."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PinHook(BuildHookInterface[Any]):
    """Adds `nalm-core==VERSION` to a wheel's requirements; an editable installation has core beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version` is `standard` or `editable`."""
        if version == "standard":
            build_data["dependencies"].append(f"nalm-core=={self.metadata.version}")
