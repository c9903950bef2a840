# SPDX-License-Identifier: Apache-2.0
"""Size of the code that the packets of the counted replay execute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.report.call_tree import OTHERS
from nalm_core.report.run_report import Arm, InstructionCount
from nalm_core.text.symbol_names import plain_name

from nalm_agent.artifacts.code_sizes import code_sizes
from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.build.build import Built
from nalm_agent.measure.metric_readings import UnreadError

NOT_COUNTED = "instructions were not counted by function"
NO_SYMBOLS = "an artifact has no symbols, or is not a valid ELF file"
NONE_EXECUTED = "no function of the artifacts was executed under its name"
COLD = ".cold"
"""In the symbol of a part that the compiler took out of its function as unlikely."""

Sizes = Mapping[Arm, float | str]
"""By arm: bytes, or the reason why they are missing."""


def hot_code(
    builds: Mapping[Arm, Built], counts: Sequence[InstructionCount], reading: LimitedReading
) -> Sizes:
    """Reads the symbols of both builds."""
    executed = {
        one.arm: {plain_name(node.name) for node in one.calls if node.own and node.name != OTHERS}
        for one in counts
    }
    return {arm: _of_build(built, executed.get(arm, set()), reading) for arm, built in builds.items()}


def _of_build(built: Built, executed: set[str], reading: LimitedReading) -> float | str:
    if not executed:
        return NOT_COUNTED
    total = 0
    for path in built.contents.artifacts:
        sizes = reading.read(code_sizes, built.directory / path)
        if sizes is None:
            return NO_SYMBOLS
        total += sum(size for name, size in sizes if COLD not in name and plain_name(name) in executed)
    return float(total) if total else NONE_EXECUTED


def size_of(sizes: Sizes, arm: Arm) -> float:
    """Raises UnreadError with the reason."""
    found = sizes[arm]
    if isinstance(found, str):
        raise UnreadError(found)
    return found
