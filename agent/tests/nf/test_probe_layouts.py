# SPDX-License-Identifier: Apache-2.0
"""Probe files of other layout versions."""

import lzma
from pathlib import Path

import pytest
from nalm_agent.gdb.nalm_gdb.layout import read_header, read_lcores
from nalm_agent.nf.probe import ProbeFile, stage_counters

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
