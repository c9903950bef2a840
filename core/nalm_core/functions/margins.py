# SPDX-License-Identifier: Apache-2.0
"""Which changes of functions matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nalm_core.report.defaults import FUNCTION_MARGIN, MARGIN, RELEVANT_SHARE


@dataclass(frozen=True)
class Margins:
    """What matters for functions."""

    function: float = FUNCTION_MARGIN
    """Relative change of a function's own cost."""
    chain: float = MARGIN
    """The margin of the chain's CPP."""
    stages: Mapping[str | None, float] = field(default_factory=dict)
    """Margins that nalm.toml gives by stage (None: any other); such a change alarms whatever its share of the
    chain."""

    def of(self, stage: str | None) -> float:
        return self.stages.get(stage, self.stages.get(None, self.function))

    def alarms(self, stage: str | None, share: float) -> bool:
        """Whether a function that regressed by `share` of the chain makes an alert by itself."""
        given = stage in self.stages or None in self.stages
        return given or share >= RELEVANT_SHARE * self.chain
