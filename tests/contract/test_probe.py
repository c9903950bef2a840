# SPDX-License-Identifier: Apache-2.0
"""Contract 1: the agent reads what nalm_probe.h writes, also during writes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nalm_agent.nf.gate import Gate
from nalm_agent.nf.probe import (
    EventState,
    LcoreState,
    ProbeFile,
    buffers_in_use,
    counted_packets,
    lcore_counters,
    stage_counters,
)
from nalm_agent.runtime.errors import ProbeError

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "reference-nf" / "probe"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("writer") / "writer"
    command = ["gcc", "-std=gnu11", "-O2", *WARNINGS, f"-I{INCLUDE}", str(HERE / "probe_writer.c")]
    subprocess.run([*command, "-o", str(program), "-pthread"], check=True)
    return program


def until(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, f"not within {seconds} s: {what}"
        time.sleep(0.001)


class Writer:
    def __init__(self, program: Path, path: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [str(program), *arguments], env={"NALM_PROBE_FILE": str(path), "NALM_PROBE_GATE": "closed"}
        )
        until(lambda: path.exists() and path.read_bytes()[:4] == b"NALM", "the magic is set")
        self.probe = ProbeFile(path, writable=True)
        self.gate = Gate(self.probe)
        until(lambda: self.states() == [LcoreState.PARKED] * 2, "both lcores wait at the gate")

    def states(self) -> list[LcoreState]:
        return [state for state, _ in self.probe.states()]

    def parked(self, turn: int) -> bool:
        return self.probe.states() == [(LcoreState.PARKED, turn)] * 2

    def end(self) -> int:
        self.gate.finish()
        code = self.process.wait(timeout=60)
        self.gate.release()
        self.probe.close()
        return code


@pytest.fixture
def running(writer: Path, tmp_path: Path) -> Iterator[Writer]:
    process = Writer(writer, tmp_path / "probe")
    yield process
    if process.process.poll() is None:
        assert process.end() == 0


def test_names_flags_and_kinds_arrive(running: Writer) -> None:
    generator, work = running.probe.stages
    assert (running.probe.nf, running.probe.pid) == ("contract writer", running.process.pid)
    assert (generator.name, generator.apart, work.name, work.apart) == ("generator", True, "work", False)
    assert {name: str(kind) for name, kind in work.outcomes.items()} == {"sent": "sent", "refused": "policy"}
    assert [int(block[0]["lcore_id"]) for block in running.probe.snapshot().blocks] != [0, 0]


def test_a_closed_gate_counts_nothing(running: Writer) -> None:
    assert [int(block[0]["iterations"]) for block in running.probe.snapshot().blocks] == [0, 0]


def test_snapshots_are_whole_while_the_writer_runs(running: Writer) -> None:
    turn = running.gate.open()
    until(
        lambda: min(int(b[0]["iterations"]) for b in running.probe.snapshot().blocks) > 1000, "work goes on"
    )
    seen = set()

    def is_whole_and_has_moved() -> bool:
        for block in running.probe.snapshot().blocks:
            lcore, work = block[0], block[0]["stages"][1]
            iterations = int(lcore["iterations"])
            seen.add(iterations)
            assert int(lcore["seq"]) % 2 == 0
            assert int(work["packets"]) == int(lcore["packets"]) == 3 * iterations
            assert int(work["outcomes"].sum()) == 3 * iterations
            assert int(work["batches"]) == iterations
            assert int(work["cycles"]) == int(lcore["busy_cycles"])
            assert int(lcore["stages"][0]["cycles"]) == int(lcore["apart_cycles"])
            sizes = running.probe.batches(lcore=0, stage=1)[0]
            assert int(sizes["count"][3]) == int(sizes["count"].sum()) >= 1000
        return len(seen) > 300

    until(is_whole_and_has_moved, "the writer runs while it is read", seconds=60.0)
    running.gate.close()
    until(lambda: running.parked(turn), "both lcores parked")
    for index, block in enumerate(running.probe.snapshot().blocks):
        sizes, work = running.probe.batches(index, stage=1)[0], block[0]["stages"][1]
        assert (int(sizes["count"][3]), int(sizes["cycles"][3])) == (
            int(work["batches"]),
            int(work["cycles"]),
        )


def test_a_turn_of_packets_ends_by_itself_and_again(running: Writer) -> None:
    for number, packets in enumerate((3000, 999), start=1):
        before = running.probe.snapshot()
        turn = running.gate.open(packets)
        until(lambda turn=turn: running.parked(turn), "both lcores parked")
        running.gate.close()
        after = running.probe.snapshot()
        assert turn == number
        assert [lcore.packets for lcore in lcore_counters(before, after)] == [packets] * 2
        counters = stage_counters(running.probe.stages, before, after)
        assert counters["work"].outcomes == {"sent": packets // 3 * 4, "refused": packets // 3 * 2}
        assert counted_packets(running.probe.stages, counters) == 2 * packets


def test_every_cycle_of_a_turn_has_a_stage(running: Writer) -> None:
    before = running.probe.snapshot()
    turn = running.gate.open(300_000)
    until(lambda: running.parked(turn), "both lcores parked")
    for lcore in lcore_counters(before, running.probe.snapshot()):
        accounted = lcore.busy_cycles + lcore.idle_cycles + lcore.apart_cycles
        assert 0.99 * lcore.turn_tsc_cycles < accounted <= lcore.turn_tsc_cycles


def test_speed_of_the_core_around_a_turn(running: Writer) -> None:
    before = running.probe.snapshot()
    assert [lcore.speed_before for lcore in lcore_counters(before, before)] == [None] * 2
    turn = running.gate.open(3000)
    until(lambda: running.parked(turn), "both lcores parked")
    after = running.probe.snapshot()
    for lcore in lcore_counters(before, after):
        assert lcore.speed_before and lcore.speed_after
        assert 0.5 < lcore.speed_before / lcore.speed_after < 2
    assert buffers_in_use(after) is None


def test_events_and_buffers_of_an_nf_that_has_them(writer: Path, tmp_path: Path) -> None:
    running = Writer(writer, tmp_path / "probe", "events")
    assert running.probe.events() == [EventState("REFUSED", "no counter left"), EventState("FIVES", None)]
    assert buffers_in_use(running.probe.snapshot()) is None, "before the first turn nobody was asked"
    turn = running.gate.open(3000)
    until(lambda: running.parked(turn), "both lcores parked")
    after = running.probe.snapshot()
    assert buffers_in_use(after) == 42
    assert len(after.events) == len(after.blocks) == 2
    for counters, events in zip(after.blocks, after.events, strict=True):
        block = events[0]
        assert int(counters[0]["event_mask"]) == 0b10
        assert int(block["reading"][1]) == 5
        assert list(block["marks"][:2]) == [1000, 1000]
        assert list(block["stages"][:2, 1]) == [5000, 5000]
        assert (int(block["busy"][1]), int(block["apart"][1]), int(block["idle"][1])) == (5000, 5000, 0)
        assert int(running.probe.batches(0, stage=1)[0]["count"][3]) == 1000
    assert running.end() == 0


def test_the_gate_ends_the_program(running: Writer) -> None:
    assert running.end() == 0


def test_the_file_stays_readable_when_the_writer_is_killed(running: Writer, tmp_path: Path) -> None:
    running.gate.open()
    until(lambda: int(running.probe.snapshot().blocks[0][0]["iterations"]) > 1000, "work goes on")
    running.process.kill()
    running.process.wait(timeout=60)
    running.gate.release()
    running.probe.close()
    probe = ProbeFile(tmp_path / "probe")
    assert int(probe.snapshot().blocks[0][0]["iterations"]) > 1000
    probe.close()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"x" * 20_000, "not a probe file"),
        (b"NALM\x07\0\0\0" + b"\0" * 20_000, "layout 7"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "probe"
    path.write_bytes(content)
    with pytest.raises(ProbeError, match=message):
        ProbeFile(path)


def test_too_many_stages_are_an_error_not_an_overflow(tmp_path: Path) -> None:
    source = tmp_path / "many.c"
    source.write_text(
        '#include "nalm_probe.h"\n'
        "int main(void) { struct nalm_stage_spec s[40]; struct nalm_probe p; memset(s, 0, sizeof(s));\n"
        'for (int i = 0; i < 30; i++) s[i].name = "s";\n'
        'return nalm_probe_open(&p, "x", s, 1, NULL) == -E2BIG ? 0 : 1; }\n'
    )
    subprocess.run(["gcc", f"-I{INCLUDE}", str(source), "-o", str(tmp_path / "many")], check=True)
    assert subprocess.run([str(tmp_path / "many")], check=False).returncode == 0


@pytest.mark.parametrize("standard", ["c++14", "c++20"])
def test_the_header_is_also_cplusplus(tmp_path: Path, standard: str) -> None:
    source = tmp_path / "nf.cc"
    source.write_text(
        '#include "nalm_probe.h"\nint main() { return static_cast<int>(sizeof(nalm_lcore) == 0); }\n'
    )
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", str(source)]
    subprocess.run([*command, "-o", str(tmp_path / "nf")], check=True)
