# SPDX-License-Identifier: Apache-2.0
"""Probe files of other layout versions."""

import lzma
import subprocess
from pathlib import Path

import numpy as np
import pytest
from nalm_agent.gdb.nalm_gdb.layout import read_header, read_lcores
from nalm_agent.nf.long_iterations import long_iterations
from nalm_agent.nf.probe import ProbeFile, Snapshot, stage_counters
from nalm_core.report.run_report import StageCounters
from tiny import PROBE_HEADER

RECORDED = Path(__file__).parents[1] / "recorded" / "probe_layout_2.xz"
"""Written by that layout's header: 10 batches of 32 packets and one of 300; one of 8 on another lcore."""


@pytest.fixture
def layout_2(tmp_path: Path) -> Path:
    path = tmp_path / "probe"
    path.write_bytes(lzma.decompress(RECORDED.read_bytes()))
    return path


def test_layout_2_is_read(layout_2: Path) -> None:
    probe = ProbeFile(layout_2)
    assert (probe.nf, probe.tsc_hz) == ("an old NF", 2_000_000_000)
    taken = probe.snapshot()
    assert [int(block[0]["lcore_id"]) for block in taken.blocks] == [3, 5]
    assert [int(block[0]["packets"]) for block in taken.blocks] == [620, 8]
    assert stage_counters(probe.stages, taken, taken)["work"].packets == 0
    sizes = probe.batches(0, 1)[0]
    assert {size: int(count) for size, count in enumerate(sizes["count"]) if count} == {32: 10, 256: 1}
    assert int(sizes["cycles"].sum()) == int(taken.blocks[0][0]["busy_cycles"])
    assert int(probe.batches(1, 1)[0]["count"][8]) == 1
    assert probe.iterations(0) is None
    assert not probe.counts_lengths
    probe.close()


def test_the_debugger_reads_layout_2(layout_2: Path) -> None:
    memory = layout_2.read_bytes()

    def read(at: int, size: int) -> bytes:
        return memory[at : at + size]

    header = read_header(read, 0)
    lcores = read_lcores(read, 0, header)
    assert (header.nf, [stage.name for stage in header.stages]) == ("an old NF", ["generator", "work"])
    assert [lcores[index].packets for index in lcores] == [620, 8]
    assert lcores[0].stages[1][1:5] == (620, 11, 465, 155)


def test_the_debugger_shows_names_without_control_characters(layout_2: Path) -> None:
    clears, turns = b"\x1b[2Jab", "\u202ework".encode()
    memory = layout_2.read_bytes().replace(b"generator", clears.ljust(9, b"\0"), 1)
    at = memory.index(b"work\0")
    memory = memory[:at] + turns + memory[at + len(turns) :]

    header = read_header(lambda place, size: memory[place : place + size], 0)
    assert [stage.name for stage in header.stages] == ["\ufffd[2Jab", "\ufffdwork"]


def test_64_stages_on_64_lcores_are_read(tmp_path: Path) -> None:
    program, path = tmp_path / "many", tmp_path / "probe"
    source = Path(__file__).with_name("many_stages.c")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        ["gcc", "-O2", *warnings, f"-I{PROBE_HEADER.parent}", "-o", program, source, "-pthread"], check=True
    )
    subprocess.run([program], env={"NALM_PROBE_FILE": str(path)}, check=True)
    probe = ProbeFile(path)
    taken = probe.snapshot()
    counters = stage_counters(probe.stages, _nothing(taken), taken)
    assert [stage.name for stage in probe.stages] == [f"s{index}" for index in range(64)]
    assert [index for index, stage in enumerate(probe.stages) if stage.apart] == [0, 63]
    assert [one.packets for one in counters.values()] == [64 * (index + 1) for index in range(63)] + [128_000]
    assert counters["s63"].outcomes == {"sent": 128_000}
    for block in taken.blocks:
        stages = block[0]["stages"]["cycles"]
        assert int(block[0]["apart_cycles"]) == int(stages[0]) + int(stages[63]) > 0
        assert int(block[0]["busy_cycles"]) == int(stages[1:63].sum())
    assert int(probe.batches(63, 62)[0]["count"][63]) == 1
    assert int(probe.batches(63, 63)[0]["count"][1024]) == 1, "larger batches count as 1,024"
    iterations = probe.iterations(0)
    assert iterations is not None and int(iterations[0]["count"][1024]) == 1
    lengths = probe.lengths(63)
    assert lengths.shape == (64, 32) and lengths["count"].sum(axis=1).tolist() == [1] * 64
    assert lengths["cycles"].sum(axis=1)[1:63].tolist() == [int(one) for one in stages_of(taken, 63)[1:63]]
    probe.close()
    memory = path.read_bytes()
    header = read_header(lambda at, size: memory[at : at + size], 0)
    lcores = read_lcores(lambda at, size: memory[at : at + size], 0, header)
    assert (len(header.stages), len(lcores)) == (64, 64)
    assert [stage[1] for stage in lcores[63].stages] == [*range(1, 64), 2000]


def stages_of(taken: Snapshot, lcore: int) -> list[int]:
    """Cycles by stage."""
    return list(taken.blocks[lcore][0]["stages"]["cycles"])


def _nothing(taken: Snapshot) -> Snapshot:
    return Snapshot([np.zeros_like(block) for block in taken.blocks])


def test_what_an_older_probe_may_have_lost_is_said(layout_2: Path) -> None:
    probe = ProbeFile(layout_2)
    taken = probe.snapshot()
    whole = StageCounters(cycles=1, packets=100, batches=1, outcomes={"sent": 60, "refused": 40})
    short = whole.model_copy(update={"outcomes": {"sent": 60, "refused": 37}})
    on_their_way = whole.model_copy(update={"outcomes": {"sent": 60, "refused": 39}})
    for one in (whole, on_their_way):
        assert long_iterations(probe, taken, {"work": one}, lent=False) is None
    said = long_iterations(probe, taken, {"work": short}, lent=False)
    assert said is not None and "nalm_probe.h is older and may lose marks and outcomes" in said
    probe.close()
