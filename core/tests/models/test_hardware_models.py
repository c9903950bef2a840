# SPDX-License-Identifier: Apache-2.0
"""Line-rate budget, chip capacity and cache lines of three papers: published figures and refusals."""

from collections.abc import Callable

import pytest
from nalm_core.models.budget import arrival_ns, budget
from nalm_core.models.capacity import (
    CHIPS,
    PBB,
    Chip,
    MeasuredHost,
    capacity,
    mpps_per_watt,
    watts_per_10g,
)
from nalm_core.models.host_costs import TABLE_VI, line_costs, load_costs
from nalm_core.models.lines import cache_lines, line_use, most_metadata, most_packets, ns_per_packet
from nalm_core.models.quantity import ModelInputError

BUDGETS = {
    10: (67.2, 220.8, 568.0, 1230.4),
    25: (26.88, 88.32, 227.2, 492.16),
    40: (16.8, 55.2, 142.0, 307.6),
    100: (6.72, 22.08, 56.8, 123.04),
}
"""ns between frames of 64, 256, 690 and 1518 bytes, by Gbit/s."""
TABLE_2 = {
    "SNP 4000": (80, 1080, 13.5, 1.10),
    "NFP-6": (50, 493, 9.9, 1.51),
    "Octeon III": (50, 480, 9.6, 1.55),
    "Gx8036": (25, 180, 7.2, 2.07),
    "Xeon 2630": (80, 140, 1.75, 8.50),
    "NP4": (35, 333, 9.5, 1.56),
    "FM6372": (80, 1080, 13.5, 1.10),
    "Lion 2": (45, 720, 16, 0.93),
}
"""Pongrácz: watts, Mpps, published Mpps per watt, and watts per 10 Gbit/s of 84 B slots."""
L1D = 48 << 10


@pytest.mark.parametrize("rate", BUDGETS)
def test_time_between_frames(rate: int) -> None:
    """16.8 ns at 40 Gbit/s is the paper's figure; the rest of the table is its formula, exact."""
    assert [arrival_ns(rate, frame) for frame in (64, 256, 690, 1518)] == pytest.approx(list(BUDGETS[rate]))


def test_a_memory_access_is_several_budgets() -> None:
    """Wu et al.: DDR takes 70 ns, 4.2 budgets of 16.8 ns, to the printed digit."""
    assert 70 / arrival_ns(40, 64) == pytest.approx(4.2, abs=0.05)


def test_lcores_carry_a_share_of_the_line() -> None:
    """4 lcores of 2 GHz have 134.4 cycles per frame of 64 B at 40 Gbit/s."""
    found = budget(40, 64, 4, 2e9, 268.8)
    assert found.cycles == pytest.approx(134.4)
    assert found.share == found.spare == pytest.approx(0.5) and found.lcores_needed == 8
    enough = budget(10, 1518, 1, 2e9, 246.08)
    assert enough.share == 1 and enough.spare == pytest.approx(10) and enough.lcores_needed == 1


@pytest.mark.parametrize(
    ("chip", "resource", "published", "tolerance"),
    [
        ("npu", "cores", 2462, 0.001),
        ("npu", "cache", 960, 0.001),
        ("npu", "memory", 2720, 0.001),
        ("cpu", "cores", 1006, 0.06),
        ("cpu", "cache", 280, 0.001),
        ("cpu", "memory", 680, 0.001),
    ],
)
def test_bounds_of_the_papers_chips(chip: str, resource: str, published: float, tolerance: float) -> None:
    """Mpps for 104 cycles, 25 cache operations, 1 external one. Inferred: the NPU's 256 G cycles/s and 24.0 G
    operations/s, the CPU's 7.0 G operations/s and 170 M transactions/s a channel. 12 cores of 2.3 GHz at 4
    instructions per cycle give 1061.5, 5.5 % above the published 1006."""
    found = capacity(CHIPS[chip], PBB)
    assert found.bounds[resource] / 1e6 == pytest.approx(published, rel=tolerance)
    assert found.bottleneck == "cache" and not found.unbounded


def test_one_socket_has_half_of_it() -> None:
    """Published 503/140/340 Mpps; 140 is Table 2's figure of the Xeon 2630."""
    whole = CHIPS["cpu"]
    found = capacity(Chip({name: value / 2 for name, value in whole.supply.items()}), PBB)
    assert found.pps / 1e6 == pytest.approx(140)
    assert found.bounds["memory"] / 1e6 == pytest.approx(340)
    assert found.bounds["cores"] / 1e6 == pytest.approx(503, rel=0.06)


def test_bandwidth_and_the_case_without_payload_in_the_cache() -> None:
    """960 Mpps of 750 B are 5.76 Tbit/s (published: 6). Without the cache's bound the cores bind: 2462 Mpps,
    1260 Gbit/s at 64 B."""
    npu = CHIPS["npu"]
    assert capacity(npu, PBB).gbits_per_s(750) == pytest.approx(5760)
    lifted = capacity(npu, {**PBB, "cache": 0})
    assert lifted.bottleneck == "cores"
    assert lifted.pps / 1e6 == pytest.approx(2462, abs=1)
    assert lifted.gbits_per_s(64) == pytest.approx(1260, abs=1)


@pytest.mark.parametrize("name", TABLE_2)
def test_power_of_table_2(name: str) -> None:
    """Mpps per watt to the printed digits; watts per 10 Gbit/s with 84 B slots."""
    watts, mpps, published, per_10g = TABLE_2[name]
    assert mpps_per_watt(mpps, watts) == pytest.approx(published, abs=0.05)
    assert watts_per_10g(mpps, watts) == pytest.approx(per_10g, abs=0.006)
    assert capacity(Chip({"cores": mpps * 1e6}, watts), {"cores": 1}).mpps_per_watt == mpps / watts


def test_resources_of_which_one_side_is_unknown_are_named() -> None:
    found = capacity(Chip({"cores": 2e9, "ports": 14.88e6}), {"cores": 200, "memory": 2})
    assert found.pps == 10e6 and found.unbounded == ("ports", "memory") and found.mpps_per_watt is None


@pytest.mark.parametrize(
    ("metadata", "apart_hits", "together_hits"),
    [
        (0, 99.85, 99.85),
        (2, 97.73, None),
        (4, 97.64, 99.84),
        (8, 97.75, 99.84),
        (16, 97.68, 99.85),
        (32, 97.59, None),
        (64, 97.64, 98.56),
    ],
)
def test_which_metadata_fits_48_kib(metadata: int, apart_hits: float, together_hits: float | None) -> None:
    """Layouts with a published hit ratio above 99.8 % are those that fit, for 512 packets. 32 B together
    fill the cache exactly: the paper's text counts that as fitting, and prints no hit ratio of it."""
    assert cache_lines(L1D) == 768
    assert line_use(512, metadata, L1D, aggregated=False).fits == (apart_hits > 99.8)
    together = line_use(512, metadata, L1D, aggregated=True)
    assert together.fits == (metadata <= 32)
    if together_hits is not None:
        assert together.fits == (together_hits > 99.8)


def test_lines_of_the_paper() -> None:
    """16 B: 640 lines together, 1024 apart; the limit is 32 B; a cache of 32 KiB takes half the packets."""
    assert line_use(512, 16, L1D, aggregated=True).lines == 640
    assert line_use(512, 16, L1D, aggregated=False).lines == 1024
    assert most_metadata(512, L1D) == 32
    assert most_packets(16, L1D, aggregated=True) == 512
    assert most_packets(16, 32 << 10, aggregated=True) == 256
    assert most_packets(0, 32, aggregated=True) == 0


def test_time_of_metadata() -> None:
    """131.30 Mpps with 16 B, 145.63 without: 0.749 ns a packet; 150 Mpps leave 6.67 ns."""
    assert ns_per_packet(131.30) - ns_per_packet(145.63) == pytest.approx(0.749, abs=0.001)
    assert ns_per_packet(150) == pytest.approx(6.67, abs=0.005)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: arrival_ns(0, 64), "line"),
        (lambda: arrival_ns(40, 20), "frame: expected at least 64"),
        (lambda: budget(40, 64, 0, 2e9, 100), "lcores"),
        (lambda: budget(40, 64, 1, 2e9, float("nan")), "CPP"),
        (lambda: capacity(Chip({"cores": 1e9}), {"cache": 1}), "demand: names none"),
        (lambda: capacity(Chip({"cores": 0}), PBB), "supply of cores"),
        (lambda: capacity(Chip({"cores": 1e9}), {"cores": -1}), "demand of cores"),
        (lambda: mpps_per_watt(1, 0), "watts"),
        (lambda: line_use(0, 1, L1D, aggregated=True), "packets"),
        (lambda: line_use(1, -1, L1D, aggregated=True), "metadata"),
        (lambda: cache_lines(0), "cache"),
    ],
)
def test_inputs_that_a_model_cannot_carry_are_refused_by_name(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ModelInputError, match=said):
        call()


MEASURED = MeasuredHost(
    one={"cores": 9e9, "cache": 0.6e9, "memory": 60e6},
    together={"cores": 16e9, "cache": 1.2e9, "memory": 90e6},
    cpus=2,
    shared=("memory",),
    watts=20.0,
)


def test_lcores_of_a_measured_host_have_no_more_than_all_cpus_together() -> None:
    assert dict(MEASURED.of_lcores(1).supply) == MEASURED.one and MEASURED.of_lcores(1).watts is None
    assert dict(MEASURED.of_lcores(2).supply) == MEASURED.together and MEASURED.of_lcores(2).watts == 20
    assert MEASURED.of_lcores(8).supply == {"cores": 64e9, "cache": 4.8e9, "memory": 90e6}
    alone = MeasuredHost({"cores": 9e9}, {}, 2)
    assert alone.of_lcores(2).supply == {"cores": 18e9}
    with pytest.raises(ModelInputError, match="lcores: expected at least 1"):
        MEASURED.of_lcores(0)


def test_penalties_of_the_papers_lines() -> None:
    """Wu et al., Table VI: p_c = 26 of a dirty line, p_n = 22 between nodes by the L3, 125 by memory."""
    assert TABLE_VI["dirty"] - TABLE_VI["clean"] == 26
    assert TABLE_VI["dirty_other_node"] - TABLE_VI["dirty"] == 22
    assert TABLE_VI["memory_other_node"] - TABLE_VI["memory"] == 125


def test_costs_of_a_host_stand_beside_the_papers() -> None:
    clean, *others = line_costs({"clean": 20.0}, 3e9, {"dirty_other_node": "one node"})
    assert (clean.ns, clean.cycles, clean.published_cycles, clean.missing) == (20, 60, 50, None)
    assert [one.ns for one in others] == [None] * 4
    assert others[1].missing == "one node" and "nalm doctor" in (others[0].missing or "")
    (first, *_) = load_costs({"L1d": 1.0}, None)
    assert first.ns == 1 and first.cycles is None and first.published_cycles == 5
