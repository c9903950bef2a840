# SPDX-License-Identifier: Apache-2.0
"""Samples at instructions that wait are told by a real program's code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from nalm_agent.counters.blocked_loads import BLOCKED
from nalm_agent.counters.perf_script_parse import code_lines, frames
from nalm_agent.counters.slow_instructions import slow_instructions

SOURCE = """
#include <stdint.h>
#define CLOCK() __asm__ volatile("lfence; rdtsc; lfence" ::: "rax", "rdx", "memory")
uint64_t fenced(uint64_t x) { CLOCK(); return x * 3; }
uint64_t counted(uint64_t *at) { return __atomic_fetch_add(at, 5, __ATOMIC_SEQ_CST); }
uint64_t divided(uint64_t x, uint64_t by) { return x / by; }
uint64_t plain(uint64_t x) { for (int i = 0; i < 9; i++) x = x * 7 + 1; return x; }
uint64_t halves(volatile uint32_t *at, uint64_t x) {
    at[0] = x;
    at[1] = x >> 7;
    return *(volatile uint64_t *)at;
}
uint64_t whole(volatile uint64_t *at, uint64_t x) { at[0] = x; return *(volatile uint32_t *)at + at[1]; }
uint64_t joined(void *at, int x) {
	__builtin_memcpy(at, &x, 4);
	__asm__ volatile("" ::: "memory");
	__uint128_t all;
	__builtin_memcpy(&all, at, 16);
	return (uint64_t)all ^ (uint64_t)(all >> 64);
}
int main(void) {
    uint64_t at[2] = {1, 2}, sum = fenced(1) + counted(at) + plain(2) + divided(7, at[0]);
    return (int)(sum + halves((uint32_t *)at, 3) + whole(at, 4) + joined(at, 5));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-fno-inline", "-o", folder / "slow", folder / "slow.c"], check=True)
    return folder / "slow"


def offsets(program: Path, function: str) -> list[tuple[int, str]]:
    """Offset and text of each instruction, by objdump."""
    text = subprocess.run(
        ["objdump", "-d", f"--disassemble={function}", program], capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"^\s+([0-9a-f]+):\t[0-9a-f ]+\t(.*)$", text, re.MULTILINE)
    return [(int(at, 16) - int(found[0][0], 16), said) for at, said in found]


def samples(program: Path, function: str) -> list[str]:
    return [
        f"  7 1.{offset:06d}:  {0x5000 + offset:x} {function}+0x{offset:x} ({program})"
        for offset, _ in offsets(program, function)
    ]


def test_samples_at_or_shortly_behind_a_slow_instruction_are_named(program: Path) -> None:
    found = slow_instructions(frames(samples(program, "fenced")))
    assert found is not None and {"lfence", "rdtsc"} <= set(found.values())
    atomic = slow_instructions(frames(samples(program, "counted")))
    assert atomic is not None and any(name.startswith("lock ") for name in atomic.values())


def test_samples_at_divisions_are_named(program: Path) -> None:
    found = slow_instructions(frames(samples(program, "divided")))
    assert found is not None and set(found.values()) == {"div"}


def test_samples_at_loads_that_a_narrow_store_blocks_are_named(program: Path) -> None:
    for function in ("halves", "joined"):
        assert set((slow_instructions(frames(samples(program, function))) or {}).values()) == {BLOCKED}
    assert slow_instructions(frames(samples(program, "whole"))) == {}, "a narrow load is forwarded"


def test_other_code_has_none_and_unreadable_programs_are_not_read_as_such(program: Path) -> None:
    assert slow_instructions(frames(samples(program, "plain"))) == {}
    assert slow_instructions(frames(["  7 1.000001:  5000 f+0x0 (/nowhere/nf)"])) is None
    assert slow_instructions([]) is None


def test_samples_of_one_line_of_code_have_the_same_number() -> None:
    at = ["  7 1.1:  5000 f+0x0 (/nf)", "  7 1.2:  503f f+0x3f (/nf)", "  7 1.3:  5040 f+0x40 (/nf)"]
    first, second, third = code_lines(frames(at)).values()
    assert first == second and third == first + 1
