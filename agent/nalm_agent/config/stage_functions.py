# SPDX-License-Identifier: Apache-2.0
"""The C functions of stages, by which instructions and samples are attributed to stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nalm_core.report.run_report import StageInfo


@dataclass(frozen=True)
class StageFunctions:
    """The functions of nalm.toml."""

    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Patterns by stage, if they differ from `<stage>_process`."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Stages that the probe does not mark, with the probe's stage that contains each. They have instructions
    and samples, but no cycles."""

    def patterns(self, stages: Sequence[StageInfo]) -> dict[str, Sequence[str]]:
        """Patterns of all stages of an NF whose probe marks `stages`.

        A stage with parts has no patterns: its remaining instructions belong to no stage, because its cycles
        include those of the parts.
        """
        split = set(self.parts.values())
        own = {
            stage.name: self.named.get(stage.name, [f"{stage.name}_process"])
            for stage in stages
            if stage.name not in split
        }
        return {part: self.named[part] for part in self.parts} | own

    def with_parts(self, stages: Sequence[StageInfo]) -> list[StageInfo]:
        """The probe's stages, followed by the parts, in the order of a report."""
        return [*stages, *(StageInfo(name=part) for part in self.parts)]
