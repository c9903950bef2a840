# SPDX-License-Identifier: Apache-2.0
"""Histories of several hosts: their offsets, their own changes, and what a control series shows of them."""

from __future__ import annotations

import numpy as np
import pytest
from histories import Values, history
from nalm_core.changepoints import offsets
from nalm_core.changepoints.hosts import detect_hosts
from nalm_core.changepoints.offsets import Host
from tiers import size_of_tier

QUIET, NOISY = 0.003, 0.012
APART = 0.03


def pool(rng: np.random.Generator, n: int) -> tuple[list[str], Values]:
    """Two hosts 3 % apart, one of them noisy: (host, deviation) of each commit."""
    second = rng.random(n) < 0.5
    noise = np.where(second, rng.normal(0, NOISY, n), rng.normal(0, QUIET, n))
    return ["b" if one else "a" for one in second], noise + APART * second


def test_the_offset_is_estimated_and_taken_out() -> None:
    rng = np.random.default_rng(1)
    hosts, deviations = pool(rng, 200)
    found = detect_hosts(history(deviations, {120: 0.04}), hosts)
    assert found.offsets["b"] - found.offsets["a"] == pytest.approx(APART, abs=0.006)
    assert [abs(one.index - 120) <= 1 for one in found.changes] == [True]
    assert found.changes[0].size == pytest.approx(0.04, abs=0.008)
    assert found.host_changes == []


def test_hosts_that_differ_make_no_false_alarms() -> None:
    rng = np.random.default_rng(2)
    commits = false = 0
    for _ in range(20):
        hosts, deviations = pool(rng, 150)
        found = detect_hosts(history(deviations), hosts)
        commits, false = commits + 150, false + len(found.changes)
    assert 1000 * false / commits <= 1


def test_a_change_of_one_host_alone_is_the_hosts() -> None:
    rng = np.random.default_rng(3)
    hits, tries = 0, size_of_tier(30, 15)
    for _ in range(tries):
        hosts, deviations = pool(rng, 200)
        deviations[130:] += 0.06 * (np.array(hosts[130:]) == "a")
        values = history(deviations, {60: -0.05})
        found = detect_hosts(values, hosts)
        own = [(one.host, abs(one.index - 130) <= 6) for one in found.host_changes]
        hits += own == [("a", True)] and [abs(one.index - 60) <= 2 for one in found.changes] == [True]
    assert hits >= tries * 5 / 6


def test_a_host_that_took_over_is_not_compared() -> None:
    rng = np.random.default_rng(4)
    deviations = rng.normal(0, QUIET, 160)
    deviations[80:] += 0.05
    found = detect_hosts(history(deviations), ["a"] * 80 + ["b"] * 80)
    assert not any(abs(one.index - 80) <= 1 for one in found.changes)


def test_nothing_is_reported_across_a_change_of_environment() -> None:
    rng = np.random.default_rng(5)
    hosts, deviations = pool(rng, 200)
    values = history(deviations, {60: 0.05, 100: 0.2})
    assert [abs(one.index - 60) <= 1 for one in detect_hosts(values, hosts, cuts=[100]).changes] == [True]


def test_what_the_control_series_does_is_the_hosts() -> None:
    rng = np.random.default_rng(6)
    false = without = hits = 0
    for _ in range(10):
        host = 0.012 * np.sin(np.arange(200) / rng.uniform(12, 20)) + 0.04 * (np.arange(200) >= 150)
        control: list[float | None] = list(history(host + rng.normal(0, QUIET, 200), level=7.0))
        control[40] = None
        values = history(host + rng.normal(0, QUIET, 200), {90: 0.03})
        found = detect_hosts(values, ["a"] * 200, control=control).changes
        hits += any(abs(one.index - 90) <= 2 for one in found)
        false += sum(abs(one.index - 90) > 5 for one in found)
        without += sum(abs(one.index - 90) > 5 for one in detect_hosts(values, ["a"] * 200).changes)
    assert hits == 10
    assert false <= 2 < without


def test_no_values_and_single_hosts_are_answered() -> None:
    assert detect_hosts([], []).changes == []
    found = detect_hosts([None, 1.0, float("nan"), 2.0], ["a", "b", "a", "c"], control=[None, 1.0, 1.0, None])
    assert found.changes == [] == found.host_changes


def test_hosts_of_one_value_each_cost_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offsets were estimated again for each host: 4 s for 240 commits, and with their cube for more."""
    estimates = []
    estimated = offsets.estimated

    def counted(y: Values, names: list[Host]) -> offsets.Offsets:
        estimates.append(len(names))
        return estimated(y, names)

    monkeypatch.setattr(offsets, "estimated", counted)
    rng = np.random.default_rng(9)
    found = detect_hosts(history(rng.normal(0, QUIET, 60)), [f"runner-{n}" for n in range(60)])
    assert estimates == [60] and found.host_changes == []
    estimates.clear()
    hosts, deviations = pool(rng, 100)
    assert detect_hosts(history(deviations), hosts).host_changes == []
    assert len(estimates) == 2, "once in the search for changes of hosts, and once for the offsets"
