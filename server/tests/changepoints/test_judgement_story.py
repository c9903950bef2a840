# SPDX-License-Identifier: Apache-2.0
"""A history of merges through the whole service, by its API: what was planted is told, once, and no more.

Two hosts that differ by three per cent, one of them noisy; several merges a push; regressions, improvements,
features, one that also slows what was there, harmless changes, and code against itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from nalm_server_git import Repo
from nalm_server_harness import Service
from nalm_server_lab import Lab
from nalm_server_repo import local_repo
from nalm_synthetic import COSTS, IPPS, Side

DAY = 86_400.0


@dataclass(frozen=True)
class Planted:
    """A merge and what it does: new cycles and instructions per packet by stage; features it adds."""

    branch: str
    costs: dict[str, float] = field(default_factory=dict)
    ipps: dict[str, int] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    stage: str | None = None
    """Pays for a regression; None: there is none."""
    cause: str | None = None
    display: str = "same"


PUSHES = (
    (
        Planted("tidy"),
        Planted("longer-nat", {"nat": 165.0}, {"nat": 372}, (), "nat", "instructions", "regressed"),
        Planted("words"),
        Planted("rename"),
    ),
    (
        Planted("scattered-l3fwd", {"l3fwd": 72.0}, {}, (), "l3fwd", "pipeline", "regressed"),
        Planted("shorter-tx", {"tx": 18.0}, {"tx": 30}, display="improved"),
        Planted("comments"),
    ),
    (
        Planted("acl", {"acl": 40.0}, {"acl": 90}, ("acl",), display="feature"),
        Planted("split-file"),
        Planted(
            "dpi", {"dpi": 80.0, "nat": 185.0}, {"dpi": 200, "nat": 420}, ("dpi",), "nat", "instructions",
            "regressed",
        ),
        Planted("style"),
        Planted("last"),
    ),
    tuple(Planted(f"later-{number}") for number in range(4)),
)  # fmt: skip
UNDECIDED = {"same": "inconclusive"}
"""What a noisy host may say instead: it does not guess."""
PRICES = {"acl": 40.0, "dpi": 80.0}


@dataclass
class Story:
    service: Service
    lab: Lab
    merges: dict[str, Planted]
    """By sha."""

    def alerts(self) -> list[dict[str, Any]]:
        """As the API tells them, each in full."""
        found = self.service.get("/projects/demo/alerts")
        return [self.service.get(f"/alerts/{one['id']}") for one in found]

    def sha(self, branch: str) -> str:
        return next(sha for sha, planted in self.merges.items() if planted.branch == branch)

    def verdict(self, branch: str) -> dict[str, Any]:
        """The merge's only one."""
        (found,) = self.service.get(f"/projects/demo/commits/{self.sha(branch)}")["verdicts"]
        return dict(found)


def after(side: Side, planted: Planted) -> Side:
    return Side(
        side.costs | planted.costs, (side.ipps or {}) | planted.ipps, [*side.features, *planted.features]
    )


def push(service: Service, before: str, after_: str) -> None:
    body = {"ref": "refs/heads/main", "before": before, "after": after_}
    assert service.hook(json.dumps(body).encode(), 202)["became"] == "accepted"


def lived(service: Service, repo: Repo) -> Story:
    """Every push worked on until nobody has anything left to do."""
    tip = repo.commit("first")
    repo.push()
    side = Side(dict(COSTS), dict(IPPS))
    truth, merges = {tip: side}, dict[str, Planted]()
    lab = Lab(service, truth)
    for planted_ones in PUSHES:
        before = tip
        for planted in planted_ones:
            tip, side = repo.merge(planted.branch, 2), after(side, planted)
            truth[tip], merges[tip] = side, planted
        repo.push()
        push(service, before, tip)
        lab.work_all()
    return Story(service, lab, merges)


@pytest.fixture
def story(service: Service, tmp_path: Path) -> Iterator[Story]:
    return lived(service, local_repo(service, tmp_path / "forge"))


@pytest.mark.nightly
def test_the_story(story: Story) -> None:
    """One history of some seconds: every part of the claim is looked at in it."""
    one_alert_for_each_planted_regression(story)
    each_was_measured_again_before_anyone_was_notified(story)
    features_are_shown_with_their_price(story)
    nothing_else_is_reported(story)
    code_against_itself_makes_no_alert(story)
    the_service_knows_how_well_it_did(story)


def one_alert_for_each_planted_regression(story: Story) -> None:
    planted = {sha: one for sha, one in story.merges.items() if one.stage}
    alerts = story.alerts()
    assert {one["sha"] for one in alerts} == set(planted)
    assert len(alerts) == len(planted)
    for one in alerts:
        truth = planted[one["sha"]]
        assert (one["stage"], one["cause"]) == (truth.stage, truth.cause), one
        assert 1 < one["low"] <= one["ratio"] <= one["high"]


def each_was_measured_again_before_anyone_was_notified(story: Story) -> None:
    for one in story.alerts():
        steps = [(step["state"], step["told"]) for step in one["history"]]
        assert list(dict.fromkeys(state for state, _ in steps)) == ["new", "confirmed"], one
        assert not any(reported for state, reported in steps if state == "new"), one
    again = {lease["head_sha"] for lease in story.lab.leases if lease["reason"] == "confirm"}
    assert again == {sha for sha, planted in story.merges.items() if planted.stage}
    hosts = {lease["host"] for lease in story.lab.leases if lease["reason"] == "confirm"}
    assert hosts == {bench.name for bench in story.lab.benches}


def features_are_shown_with_their_price(story: Story) -> None:
    for branch, price in PRICES.items():
        verdict = story.verdict(branch)
        assert verdict["features_added"] == [branch]
        assert verdict["price_cycles_per_packet"] == pytest.approx(price, rel=0.1)
    assert story.verdict("acl")["display"] == "feature"


def nothing_else_is_reported(story: Story) -> None:
    for planted in story.merges.values():
        display = story.verdict(planted.branch)["display"]
        assert display in {planted.display, UNDECIDED.get(planted.display)}, planted


def code_against_itself_makes_no_alert(story: Story) -> None:
    before = len(story.alerts())
    for _ in range(3):
        story.service.clock.pass_seconds(DAY)
        story.lab.work_all()
    trials = story.service.get("/projects/demo/detection-quality/trials")
    assert len(trials) == 3
    assert {one["outcome"] for one in trials} <= {"same", "inconclusive"}
    assert len(story.alerts()) == before


def the_service_knows_how_well_it_did(story: Story) -> None:
    shown = story.service.get("/projects/demo/detection-quality")
    assert shown["false_alarms"]["all"]["said"] == "0 of 3: below 63.2 % at 95 %"
    assert shown["delay"]["commits"]["count"] == len([one for one in story.merges.values() if one.stage])
    assert shown["findings"]["dismissed"]["hits"] == 0
