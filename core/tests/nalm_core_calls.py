# SPDX-License-Identifier: Apache-2.0
"""Reports whose instructions carry call paths and source lines."""

from nalm_core.report.call_tree import CallNode, FunctionLines
from nalm_core.report.run_report import Arm, InstructionCount, RunReport
from nalm_synthetic import GENERATOR, changed, make_report


def with_calls(*, nat: float = 170.0) -> RunReport:
    """A report whose head's nat calls hash_lookup and, with other costs than base's, spends more in it."""
    report = make_report(changed(nat=nat), launches=2, turns=2)
    counts = [one.model_copy(update=recorded(one)) for one in report.instructions]
    return report.model_copy(update={"instructions": counts})


def recorded(count: InstructionCount) -> dict:
    """Paths and lines that add up to a count's stages: half of each stage is a function's it calls."""
    nodes = [CallNode(name="loop", own=count.unattributed, file="src/loop.c", line=5)]
    lines = []
    for stage, instructions in count.stages.items():
        file, half = f"src/{stage}.c", instructions // 2
        name = f"{stage}_process"
        nodes.append(CallNode(name=name, parent=0, stage=stage, own=instructions - half, file=file, line=10))
        lookup = "hash_lookup" if count.arm is Arm.HEAD or stage != "nat" else "table_lookup"
        nodes.append(CallNode(name=lookup, parent=len(nodes) - 1, stage=stage, own=half))
        lines.append(
            FunctionLines(
                function=name, stage=stage, file=file, lines={11: half, 12: instructions - 2 * half}
            )
        )
    return {"calls": nodes, "lines": [one for one in lines if one.stage != GENERATOR]}
