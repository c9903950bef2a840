# SPDX-License-Identifier: Apache-2.0
"""Which C functions are a stage's, for what is known of an NF by its functions: instructions and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nalm_core.report.run_report import StageInfo


@dataclass(frozen=True)
class StageFunctions:
    """Functions as nalm.toml names them."""

    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Patterns by stage, where they are not `<stage>_process`."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Stages that the probe does not mark, and the stage of the probe that each lies within: they have
    instructions and samples, and no cycles."""

    def patterns(self, stages: Sequence[StageInfo]) -> dict[str, Sequence[str]]:
        """Patterns of all stages of an NF whose probe marks `stages`.

        A stage that has parts has no patterns: what it executes outside of them is nobody's, as its
        cycles, which hold them, would not go with it.
        """
        split = set(self.parts.values())
        own = {
            stage.name: self.named.get(stage.name, [f"{stage.name}_process"])
            for stage in stages
            if stage.name not in split
        }
        return {part: self.named[part] for part in self.parts} | own

    def with_parts(self, stages: Sequence[StageInfo]) -> list[StageInfo]:
        """The probe's stages and behind them the parts, as a report lists them."""
        return [*stages, *(StageInfo(name=part) for part in self.parts)]
