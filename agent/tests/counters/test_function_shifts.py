# SPDX-License-Identifier: Apache-2.0
"""Functions of programs that gcc built and callgrind counted: moved code is a shift, added code is found."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest
from nalm_agent.counters.call_paths import call_nodes, function_lines
from nalm_agent.counters.callgrind_parse import by_stage, parse
from nalm_agent.counters.simulated import CALLER_DEPTH
from nalm_core.functions.judge import FunctionSide, judge_functions
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import FunctionJudgement
from nalm_core.report.run_report import Arm, InstructionCount, RunReport, Source
from nalm_core.report.source_text import FileText, SourceText, Stretch
from nalm_synthetic import Side, make_report

PACKETS = 1000
STAGES = {"alpha": ["alpha_process"]}
MIX = """
{
	uint64_t hash = seed;
	for (unsigned round = 0; round < 40; round++)
		hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u + round;
	return hash;
}
"""
SMALL = """
static __attribute__((noinline)) uint64_t small_step(uint64_t value)
{
	for (unsigned round = 0; round < %d; round++)
		value += value >> (round & 7);
	return value;
}
"""
PROCESS = """
__attribute__((noinline)) uint64_t alpha_process(uint64_t packet)
{
	uint64_t sum = small_step(packet);
	for (unsigned field = 0; field < 8; field++)
		sum += MIX_NAME(packet + field) ^ (sum << 3);
	return sum;
}
"""
MAIN = """
int main(void)
{
	volatile uint64_t result = 0;
	for (uint64_t packet = 0; packet < %d; packet++)
		result += alpha_process(packet);
	return result == 1;
}
"""
NOINLINE, INLINE = "static __attribute__((noinline))", "static inline __attribute__((always_inline))"


def program(
    *, how: str = NOINLINE, name: str = "mix", rounds: int = 20, apart: bool = False
) -> dict[str, str]:
    """Source files. apart: the helper is in a file of its own."""
    head = "#include <stdint.h>\n"
    helper = f"{'' if apart else how + ' '}uint64_t {name}(uint64_t seed){MIX}"
    rest = SMALL % rounds + PROCESS.replace("MIX_NAME", name) + MAIN % PACKETS
    if not apart:
        return {"main.c": head + helper + rest}
    return {"main.c": f"{head}uint64_t {name}(uint64_t seed);{rest}", "mix.c": head + helper}


def counted(folder: Path, arm: Arm, sources: Mapping[str, str]) -> InstructionCount:
    for name, text in sources.items():
        (folder / name).write_text(text)
    subprocess.run(["gcc", "-O2", "-g", "-o", "nf", *sources], cwd=folder, check=True)
    options = ["--tool=callgrind", f"--separate-callers={CALLER_DEPTH}", "--callgrind-out-file=out"]
    subprocess.run(["valgrind", "-q", *options, "./nf"], cwd=folder, check=True, capture_output=True)
    with (folder / "out").open() as file:
        profile = parse(file)
    shares = by_stage(profile, STAGES)
    lines = [one.model_copy(update={"file": Path(one.file).name}) for one in function_lines(profile, STAGES)]
    return InstructionCount(
        arm=arm,
        source=Source.SIMULATED,
        packets=PACKETS,
        stages=shares.stages,
        unattributed=shares.unattributed,
        functions=shares.functions,
        calls=call_nodes(profile, STAGES),
        lines=lines,
    )


def text_of(base: Mapping[str, str], head: Mapping[str, str]) -> SourceText:
    """Both sides' whole text."""
    files = []
    for name in dict.fromkeys([*base, *head]):
        sides = (
            (side, sources[name]) for side, sources in (("base", base), ("head", head)) if name in sources
        )
        stretches = [
            Stretch(lines=[line or " " for line in text.splitlines()], **{side: 1}) for side, text in sides
        ]
        files.append(FileText(file=name, stretches=stretches))
    return SourceText(files=files)


class Judged(Protocol):
    def __call__(
        self, base: Mapping[str, str], head: Mapping[str, str], *, text: bool
    ) -> dict[str, FunctionJudgement]: ...


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    known: dict[str, InstructionCount] = {}

    def count(arm: Arm, sources: Mapping[str, str]) -> InstructionCount:
        """Each program is built and counted once."""
        key = str(sorted(sources.items()))
        if key not in known:
            known[key] = counted(tmp_path_factory.mktemp("program"), arm, sources)
        return known[key].model_copy(update={"arm": arm})

    def compare(
        base: Mapping[str, str], head: Mapping[str, str], *, text: bool
    ) -> dict[str, FunctionJudgement]:
        counts = [count(arm, side) for arm, side in ((Arm.BASE, base), (Arm.HEAD, head))]
        update = {"instructions": counts, "source_text": text_of(base, head) if text else None}
        report: RunReport = make_report(Side(), launches=3, turns=4).model_copy(update=update)
        before, after = (FunctionSide(report, arm) for arm in (Arm.BASE, Arm.HEAD))
        return {one.name: one for one in judge_functions(before, after, Margins()) if one.stage == "alpha"}

    return compare


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize(
    ("base", "head", "gained"),
    [
        (program(how=INLINE), program(how=NOINLINE), "mix"),
        (program(how=INLINE), program(apart=True), "mix"),
        (program(), program(name="stir"), "stir"),
    ],
    ids=["no longer inlined", "moved to another file", "renamed"],
)
def test_code_that_moved_is_a_shift(
    judged: Judged, base: dict[str, str], head: dict[str, str], gained: str, text: bool
) -> None:
    found = judged(base, head, text=text)
    assert found[gained].outcome == "shifted"
    assert found[gained].shifted_from
    assert not [one.name for one in found.values() if one.outcome in ("regressed", "improved")]


def test_inlined_helper_is_a_shift_and_its_calls_are_saved(judged: Judged) -> None:
    found = judged(program(how=NOINLINE), program(how=INLINE), text=True)
    assert found["mix"].outcome == "shifted"
    assert [one.name for one in found["alpha_process"].shifted_from] == ["mix"]
    assert found["alpha_process"].outcome == "shifted"


def test_five_percent_of_a_small_function_is_found(judged: Judged) -> None:
    found = judged(program(rounds=40), program(rounds=43), text=True)
    small = found["small_step"]
    assert small.outcome == "regressed"
    assert small.ratio == pytest.approx(1.07, abs=0.02)
    assert {one.outcome for name, one in found.items() if name != "small_step"} == {"same"}
