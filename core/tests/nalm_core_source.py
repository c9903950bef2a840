# SPDX-License-Identifier: Apache-2.0
"""Reports whose lines cost known instructions, with the files they are of."""

from collections.abc import Mapping

from nalm_core.profiles.source_cut import cut_source
from nalm_core.report.call_tree import FunctionLines
from nalm_core.report.run_report import Arm, FunctionCount, InstructionCount, RunReport, Source
from nalm_synthetic import changed, make_report

Lines = Mapping[str, Mapping[int, int]]
"""Instructions a packet by file and line."""
PACKETS = 1000
PLAIN = make_report(changed(), launches=2, turns=2)


def counted(base: Mapping[str, Lines], head: Mapping[str, Lines]) -> RunReport:
    """nat's functions by name, with what their lines cost on either side."""
    counts = [_count(Arm.BASE, base), _count(Arm.HEAD, head)]
    return PLAIN.model_copy(update={"instructions": counts})


def with_text(report: RunReport, base: Mapping[str, str], head: Mapping[str, str]) -> RunReport:
    """The report as an agent makes it from both sides' files."""
    files = {Arm.BASE: base, Arm.HEAD: head}
    text = cut_source(report, lambda arm, file: files[arm].get(file))
    return report.model_copy(update={"source_text": text})


def _count(arm: Arm, functions: Mapping[str, Lines]) -> InstructionCount:
    return InstructionCount(
        arm=arm,
        source=Source.SIMULATED,
        packets=PACKETS,
        stages={},
        unattributed=0,
        functions={"nat": [_function(name, lines) for name, lines in functions.items()]},
        lines=[
            FunctionLines(
                function=name,
                stage="nat",
                file=file,
                lines={line: each * PACKETS for line, each in costs.items()},
            )
            for name, lines in functions.items()
            for file, costs in lines.items()
        ],
    )


def _function(name: str, lines: Lines) -> FunctionCount:
    cost = sum(each for costs in lines.values() for each in costs.values())
    return FunctionCount(
        name=name, instructions=cost * PACKETS, calls=PACKETS, file=next(iter(lines)), line=1
    )
