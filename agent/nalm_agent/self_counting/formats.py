# SPDX-License-Identifier: Apache-2.0
"""Formats of own figures, by their names in nalm.toml (run.counts)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nalm_agent.self_counting import ovs_pmd, vpp_runtime
from nalm_agent.self_counting.reported import OwnFigures

OWN_FIGURES: Mapping[str, OwnFigures] = MappingProxyType(
    {"ovs-pmd-perf": ovs_pmd.FIGURES, "vpp-show-runtime": vpp_runtime.FIGURES}
)
