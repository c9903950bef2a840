# SPDX-License-Identifier: Apache-2.0
"""Caches and branches modelled: the host's caches, what the model takes, counts of the tiny NF."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters import simulated
from nalm_agent.counters.model_caches import allowed, differences, host_caches, options, used
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from nalm_core.report.modelled_counts import EVENTS, ModelCount, ModelledCache
from nalm_core.report.run_report import Arm
from tiny import build_tiny


def cache(size_bytes: int, ways: int, line_bytes: int = 64) -> ModelledCache:
    return ModelledCache(size_bytes=size_bytes, ways=ways, line_bytes=line_bytes)


def sysfs(folder: Path, *caches: tuple[int, str, str, int]) -> Path:
    for number, (level, kind, size, ways) in enumerate(caches):
        index = folder / f"index{number}"
        index.mkdir(parents=True)
        text = {"level": level, "type": kind, "size": size, "ways_of_associativity": ways}
        for name, value in (text | {"coherency_line_size": 64}).items():
            (index / name).write_text(f"{value}\n")
    return folder


def test_host_caches(tmp_path: Path) -> None:
    levels = [(1, "Data", "48K", 12), (1, "Instruction", "32K", 8), (2, "Unified", "1024K", 16)]
    folder = sysfs(tmp_path / "server", *levels, (3, "Unified", "30M", 20))
    assert host_caches(folder) == {
        "I1": cache(32 << 10, 8),
        "D1": cache(48 << 10, 12),
        "LL": cache(30 << 20, 20),
    }
    assert host_caches(sysfs(tmp_path / "small", *levels))["LL"] == cache(1 << 20, 16)
    assert host_caches(sysfs(tmp_path / "odd", *levels[:1])) == {}
    assert host_caches(tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("host", "model"),
    [
        (cache(48 << 10, 12), cache(48 << 10, 12)),  # 64 sets
        (cache(30 << 20, 20), cache(30 << 20, 15)),  # 24576 sets: not a power of two
        (cache(1408 << 10, 11), cache(1408 << 10, 11)),  # 2048 sets, an odd number of ways
        (cache(260 << 20, 16), cache(256 << 20, 16)),  # nearer to a power of two than a way is large
    ],
)
def test_what_the_model_takes(host: ModelledCache, model: ModelledCache) -> None:
    assert allowed(host) == model
    sets = model.size_bytes // (model.ways * model.line_bytes)
    assert sets & (sets - 1) == 0


def test_differences_are_reported() -> None:
    host = {"LL": cache(30 << 20, 20)}
    model = {"LL": allowed(host["LL"])}
    assert options(model) == ["--LL=31457280,15,64"]
    assert differences(host, model) == [
        "LL: the host has 31457280 bytes in 20 ways of 64-byte lines; "
        "the model uses 31457280 bytes in 15 ways of 64-byte lines"
    ]
    assert differences(model, model) == []
    assert "does not report" in differences({}, model)[0]
    assert used(["desc: I1 cache: 32768 B, 64 B, 8-way associative", "desc: D1 cache: "]) == {
        "I1": cache(32768, 8)
    }


def model(command: list[str], work: WorkDir) -> ModelCount:
    return simulated.model(
        Arm.HEAD,
        simulated.Simulation(NfStart(command, ready_seconds=60), work, StageFunctions()),
        packets=2000,
    )


@pytest.mark.nightly
def test_a_table_that_outgrows_the_cache_misses_it(tmp_path: Path, work: WorkDir) -> None:
    small = model(build_tiny(tmp_path, ""), work)
    assert set(small.stages["alpha"]) == set(small.unattributed) == set(EVENTS)
    assert set(small.caches) == {"I1", "D1", "LL"}
    assert small == model(build_tiny(tmp_path, ""), work), "the same every time"
    large = model(build_tiny(tmp_path, "#define TABLE 1048576\n"), work)
    few, many = (count.stages["alpha"] for count in (small, large))
    assert many["instructions"] == pytest.approx(few["instructions"], rel=0.01)
    assert many["l1d_misses"] > 10 * max(1, few["l1d_misses"])
