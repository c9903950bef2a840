# SPDX-License-Identifier: Apache-2.0
"""Instructions per packet of an arm, from one source for all arms of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nalm_core.report.run_report import Arm, ArmInfo, InstructionCount, Source

PREFERENCE = (Source.PMU, Source.SIMULATED)
"""Sources, the best first: the PMU counts the timed rounds themselves."""


@dataclass(frozen=True, slots=True)
class ArmIpp:
    """Instructions per packet."""

    source: Source
    chain: float
    """Includes instructions of the data path outside every stage."""
    stages: Mapping[str, float]


def common_source(counts: Sequence[InstructionCount], arms: Collection[Arm]) -> Source | None:
    """The preferred source that counted every one of the arms."""
    for source in PREFERENCE:
        if set(arms) <= {count.arm for count in counts if count.source is source}:
            return source
    return None


def arm_ipp(
    counts: Sequence[InstructionCount], arm: Arm, info: ArmInfo, source: Source | None
) -> ArmIpp | None:
    """IPP of the arm from the source; None if it was not counted."""
    count = next((c for c in counts if c.arm is arm and c.source is source), None)
    if count is None:
        return None
    apart = {stage.name for stage in info.stages if stage.apart}
    own = {name: value for name, value in count.stages.items() if name not in apart}
    return ArmIpp(
        source=count.source,
        chain=(sum(own.values()) + count.unattributed) / count.packets,
        stages={name: value / count.packets for name, value in own.items()},
    )
