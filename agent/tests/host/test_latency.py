# SPDX-License-Identifier: Apache-2.0
"""The measuring program on this very host, what is kept of it, and the fingerprint that carries it."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_host import LATENCIES
from filelock import FileLock
from nalm_agent.doctor import look
from nalm_agent.host import latency, supply
from nalm_agent.host.fingerprint import caches, fingerprint
from nalm_agent.native import library
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home
from nalm_core.report.host_match import differences

KIB, MIB = 1 << 10, 1 << 20
ALLOWED = sorted(os.sched_getaffinity(0))


@pytest.mark.timed
def test_farther_is_slower(home: Home) -> None:
    pairs = latency.pairs_of(ALLOWED[-2:])
    cpu, sizes = ALLOWED[-1], {"L1d": 32 * KIB, "L2": 512 * KIB}
    neighbours = latency.neighbours_of(ALLOWED[-2:], cpu)
    found = latency.measure(home, ("here", "class"), cpu, sizes, pairs, neighbours=neighbours)
    assert found.missing == {} and set(found.ns) == {"L1d", "L2", "memory"}
    assert 0.2 < found.ns["L1d"] < found.ns["memory"] / 3
    assert found.ns["L1d"] < found.ns["L2"]
    assert len(found.transfer_ns) == len(pairs) and all(ns > 1 for ns in found.transfer_ns.values())
    # 1 where cores share nothing, up to 2 where two threads share all; the median may waver a little.
    assert len(found.sharing) == len(pairs) and all(0.8 < ratio < 2.5 for ratio in found.sharing.values())
    assert 0.3 < found.core_ghz < 10 and found.ghz == sorted(found.ghz) and found.swing() >= 0
    # The first cache answers in a few cycles of any x86-64 core: clock and latency must agree.
    assert 2 < found.ns["L1d"] * found.core_ghz < 20


def test_sizes_lie_inside_a_level_and_outside_the_one_before() -> None:
    sizes = latency.sizes({"L1d": 48 * KIB, "L1i": 32 * KIB, "L2": 2 * MIB, "L3": 256 * MIB}, 64 << 30)
    assert sizes == {"L1d": 24 * KIB, "L2": MIB, "L3": 32 * MIB, "memory": 1024 * MIB}
    assert latency.sizes({"L1d": 32 * KIB, "L2": MIB, "L3": 2 * MIB}, 8 << 30)["L3"] == 2 * MIB
    assert "memory" not in latency.sizes({"L3": 32 * MIB}, 256 * MIB)


def test_pairs_are_of_a_sane_number_of_cpus() -> None:
    assert latency.pairs_of([0, 1]) == [(0, 1)]
    assert len(latency.pairs_of(range(128), [127])) <= 36
    assert (0, 127) in latency.pairs_of(range(128), [127])


@pytest.mark.parametrize(
    ("cpus", "beside", "expected"),
    [
        ([0], [], []),
        ([0, 1], [], [0]),
        (range(8), [], [6, 3, 5, 4]),
        (range(16), [7], [7, 14, 13, 12]),
        (range(16), [], [14, 7, 13, 12]),
        ([4, 5, 6, 7, 12, 13, 14, 15], [7], [7, 14, 13, 12]),
    ],
    ids=["one CPU", "two", "eight", "a known thread", "sixteen", "a part of the CPUs"],
)
def test_the_cpus_that_may_share_a_core_are_tested(
    cpus: Sequence[int], beside: list[int], expected: list[int]
) -> None:
    assert latency.neighbours_of(cpus, cpus[-1], beside) == expected


def test_a_look_tests_the_cpus_next_to_the_measuring_one(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NALM_LOCKS", str(tmp_path))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(latency, "run_bench", _bench)
    monkeypatch.setattr(supply, "measure", lambda *_, **__: None)
    seen = look.look(home)
    assert seen.latencies is not None and seen.measuring == (7,)
    assert list(seen.latencies.sharing) == ["7-6", "7-3", "7-5", "7-4"]


def _bench(_binary: Path, kind: str, *_: int) -> dict[str, Any]:
    return {"speed": {"ghz": [2.5]}, "sharing": {"ratio": 1.0}}.get(
        kind, {"ns": 1.0, "bytes": 1, "huge_bytes": 1}
    )


def test_a_cpu_that_may_not_be_used_is_a_reason(home: Home) -> None:
    with pytest.raises(HostError, match="may not be used"):
        latency.measure(home, ("here", "class"), 4000, {}, [])


def test_without_a_compiler_there_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(HostError, match=r"host_latency\.c was not compiled"):
        library.program(Home(tmp_path), "host_latency")
    monkeypatch.setenv("CC", "false")
    with pytest.raises(HostError, match="does not compile"):
        library.program(Home(tmp_path), "host_latency")
    assert list((tmp_path / "native").iterdir()) == []


def test_a_program_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = library.program(Home(tmp_path), "host_latency")
    monkeypatch.setenv("CC", "no-such-compiler")
    assert library.program(Home(tmp_path), "host_latency") == first


def test_the_probe_header_is_the_contracts_own() -> None:
    root = Path(__file__).parents[3]
    assert (library.FOLDER / "nalm_probe.h").resolve() == root / "reference-nf" / "probe" / "nalm_probe.h"


def test_the_fingerprint_carries_what_doctor_measured_on_this_host_only(tmp_path: Path) -> None:
    own = Home(tmp_path)
    without = fingerprint(own)
    assert without.latencies_ns is None and without.numa_nodes is not None and without.thp is not None
    assert without.libraries is not None and "libc" in without.libraries
    here = LATENCIES.model_copy(update={"host": socket.gethostname(), "host_class": without.host_class})
    latency.remember(own, here)
    seen = fingerprint(own)
    assert seen.latencies_ns == LATENCIES.ns and seen.latencies_at == LATENCIES.at
    assert differences(without, seen) == []
    latency.remember(own, here.model_copy(update={"host": "another"}))
    assert fingerprint(own).latencies_ns is None


@pytest.mark.nightly
def test_a_look_measures_remembers_and_gives_way(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NALM_LOCKS", str(tmp_path))
    seen = look.look(home)
    assert seen.latencies is not None and seen.unmeasured is None
    assert set(seen.latencies.ns) <= {"memory", *caches()}
    assert seen.disturbed.seconds > 0.1 and seen.disturbed.interrupts is not None
    assert fingerprint(home).latencies_at == seen.latencies.at
    assert seen.latencies.supply is not None and fingerprint(home).supply == seen.latencies.supply
    with FileLock(tmp_path / f"nalm-cpu{ALLOWED[-1]}.lock"):
        held = look.look(home)
    assert held.latencies is None and "another measurement uses CPU" in (held.unmeasured or "")
