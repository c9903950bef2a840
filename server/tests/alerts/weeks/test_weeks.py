# SPDX-License-Identifier: Apache-2.0
"""Weeks of the default branch: which pairs enter, when a week begins, pages, who may read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import Any

import pytest
from nalm_server.alerts.weeks import tasks, week_repository
from nalm_server.alerts.weeks.calendar import name_of, parse, start_of
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import CommitInfo, record
from nalm_server_harness import Service, counted
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import select

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
SLOWER = {"nat": 180.0}
CHAIN = sum(COSTS.values())


def merged(service: Service, number: int, at: datetime) -> None:
    """The forge tells when the commit was made."""
    with service.context.sessions() as session:
        record(session, 1, sha(number), None, CommitInfo("a change", None, at))
        session.commit()


def measure(service: Service, number: int, *, at: datetime = MONDAY, **given: Any) -> None:
    """Commit `number` against the one before, or `base`; each scenario is a run of its own."""
    key = number + 1000 * given.pop("time", 0)
    if given.get("scenario", "sfc_a") != "sfc_a":
        key += 100_000 * int(given["scenario"].removeprefix("sfc_"))
    given.setdefault("base", number - 1)
    service.upload(body_of(make_report(key, head=number, **given)))
    merged(service, number, at)


def pushed(service: Service, numbers: Iterable[int]) -> None:
    """Each on top of the one before, as a forge tells it."""
    with service.context.sessions() as session:
        for number in numbers:
            record(session, 1, sha(number), sha(number - 1))
        session.commit()


def weeks(service: Service, **params: Any) -> dict[str, Any]:
    """The answer, which is the same from stored figures."""
    computed = service.get("/projects/demo/weeks", **params)
    tasks.drain(service.context)
    with service.context.read_sessions() as session:
        assert week_repository.stale(session) == []
    assert service.get("/projects/demo/weeks", **params) == computed
    return dict(computed)


def test_a_week_is_the_geometric_mean_over_scenarios_of_its_commits_together(service: Service) -> None:
    measure(service, 1, head_costs=SLOWER)
    measure(service, 1, head_costs=SLOWER, scenario="sfc_1")
    measure(service, 2, head_costs=SLOWER, at=MONDAY + timedelta(days=6, hours=23))
    (week,) = weeks(service)["weeks"]
    ratio = (CHAIN + 30) / CHAIN
    assert (week["week"], week["start"]) == ("2026-W47", "2026-11-16")
    assert (week["commits"], week["measured"]) == (2, 2)
    overall = week["overall"]
    assert overall["ratio"] == pytest.approx(sqrt(ratio**2 * ratio), rel=1e-3)
    assert overall["low"] < overall["ratio"] < overall["high"]
    assert (overall["level"], overall["averaged"], overall["regressed"]) == (0.95, 2, 2)


def test_a_week_is_opened_to_its_commits_and_scenarios(service: Service) -> None:
    measure(service, 1, head_costs=SLOWER)
    measure(service, 2)
    measure(service, 2, scenario="sfc_1", head_costs={"nat": 120.0})
    measure(service, 3, status="broken")
    found = service.get("/projects/demo/weeks/2026-W47")
    assert [one["sha"] for one in found["changes"]] == [sha(3), sha(2), sha(1)]
    broken, two, one = (change["overall"] for change in found["changes"])
    assert (broken["ratio"], broken["averaged"], broken["broken"]) == (None, 0, 1)
    assert (two["averaged"], two["improved"], two["same"]) == (2, 1, 1)
    assert (one["averaged"], one["regressed"]) == (1, 1)
    assert [(each["scenario"], each["outcome"], each["pairs"]) for each in found["scenarios"]] == [
        ("sfc_1", "improved", 1),
        ("sfc_a", "broken", 2),
    ]


def test_a_commit_that_was_not_measured_is_counted_and_has_no_figure(service: Service) -> None:
    pushed(service, range(1, 4))
    measure(service, 1)
    merged(service, 2, MONDAY)
    measure(service, 3)
    found = service.get("/projects/demo/weeks/2026-W47")
    assert (found["commits"], found["measured"]) == (3, 2)
    assert [one["overall"] is None for one in found["changes"]] == [False, True, False]


def test_a_pair_over_several_commits_enters_only_where_they_have_none(service: Service) -> None:
    pushed(service, range(1, 9))
    for number in (1, 2, 3, 4):
        measure(service, number)
    measure(service, 5, base=2, head_costs=SLOWER)
    (week,) = weeks(service)["weeks"]
    assert week["overall"]["ratio"] == pytest.approx(1, abs=1e-3), "3 and 4 have pairs of their own"
    assert week["measured"] == 4
    measure(service, 8, base=5, head_costs=SLOWER)
    (week,) = weeks(service)["weeks"]
    assert week["overall"]["ratio"] == pytest.approx((CHAIN + 30) / CHAIN, rel=1e-3)
    measure(service, 5, time=1)
    (week,) = weeks(service)["weeks"]
    assert week["measured"] == 6, "against its parent it enters"


@pytest.mark.dialects
def test_stored_figures_follow_a_commit_measured_later_in_an_earlier_week(service: Service) -> None:
    pushed(service, range(1, 4))
    measure(service, 1, at=MONDAY - timedelta(weeks=1))
    merged(service, 2, MONDAY - timedelta(weeks=1))
    measure(service, 3, base=1, head_costs=SLOWER)
    newest, earlier = weeks(service)["weeks"]
    assert (newest["measured"], earlier["measured"]) == (1, 1)
    measure(service, 2, at=MONDAY - timedelta(weeks=1))
    newest, earlier = weeks(service)["weeks"]
    assert (newest["measured"], earlier["measured"]) == (0, 2), "2 was measured between 1 and 3"


def test_a_stored_week_reads_no_verdict_and_is_what_is_computed(service: Service) -> None:
    measure(service, 1)
    measure(service, 2, head_costs=SLOWER)
    with counted(service) as computing:
        computed = service.get("/projects/demo/weeks/2026-W47")
    tasks.drain(service.context)
    with counted(service) as reading:
        assert service.get("/projects/demo/weeks/2026-W47") == computed
    assert any("verdicts" in one for one in computing)
    assert not any("verdicts" in one for one in reading)
    measure(service, 3)
    assert len(service.get("/projects/demo/weeks/2026-W47")["changes"]) == 3


def test_stored_figures_follow_a_commit_whose_time_becomes_known_later(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    assert [one["week"] for one in weeks(service)["weeks"]] == ["2026-W47"]
    merged(service, 1, MONDAY - timedelta(weeks=2))
    assert [one["week"] for one in weeks(service)["weeks"]] == ["2026-W45"]


def test_the_newest_run_of_a_pair_counts(service: Service) -> None:
    measure(service, 1, head_costs=SLOWER)
    service.clock.pass_seconds(60)
    measure(service, 1, time=1)
    (week,) = weeks(service)["weeks"]
    assert week["overall"]["ratio"] == pytest.approx(1, abs=1e-3)
    assert (week["overall"]["same"], week["overall"]["regressed"]) == (1, 0)


def test_weeks_are_read_in_pages_and_empty_ones_are_left_out(service: Service) -> None:
    for number, back in enumerate((30, 9, 2, 0), start=1):
        measure(service, number, at=MONDAY - timedelta(weeks=back))
    first = weeks(service, limit=3)
    assert [one["week"] for one in first["weeks"]] == ["2026-W47", "2026-W45"]
    second = weeks(service, limit=3, before=first["before"])
    assert [one["week"] for one in second["weeks"]] == ["2026-W38"]
    third = weeks(service, limit=3, before=second["before"])
    assert [one["week"] for one in third["weeks"]] == ["2026-W17"] and third["before"] is None


def test_a_commit_of_a_clock_that_is_ahead_hides_no_week(service: Service) -> None:
    for number, at in enumerate((MONDAY - timedelta(weeks=1), MONDAY, datetime(2038, 1, 19, tzinfo=UTC)), 1):
        measure(service, number, at=at)
    assert [one["week"] for one in weeks(service, limit=3)["weeks"]] == ["2038-W03", "2026-W47", "2026-W46"]


@pytest.mark.dialects
def test_without_a_time_of_its_own_a_commit_is_of_the_week_of_its_first_run(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    assert [one["week"] for one in weeks(service)["weeks"]] == ["2026-W47"]


@pytest.mark.dialects
def test_a_branch_that_is_not_the_default_one_is_in_no_week(service: Service) -> None:
    measure(service, 1)
    with service.context.sessions() as session:
        session.scalars(select(CommitRow).where(CommitRow.sha == sha(1))).one().listed = False
        session.commit()
    assert weeks(service) == {"weeks": [], "before": None}


def test_a_project_without_commits_has_no_weeks_and_a_wrong_week_is_said(service: Service) -> None:
    assert weeks(service) == {"weeks": [], "before": None}
    assert "No commit" in service.get("/projects/demo/weeks/2026-W40", 404)["error"]["message"]
    assert "no week 2025-W53" in service.get("/projects/demo/weeks/2025-W53", 404)["error"]["message"]
    assert service.get("/projects/demo/weeks", 404, before="2025-W53")["error"]["name"] == "not_found"
    service.get("/projects/demo/weeks/2026-W99", 422)


@pytest.mark.parametrize(
    ("at", "name"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-W01"),
        (datetime(2027, 1, 3, 23, 59, tzinfo=UTC), "2026-W53"),
        (datetime(2027, 1, 4, tzinfo=UTC), "2027-W01"),
    ],
)
def test_weeks_begin_on_monday_in_utc(at: datetime, name: str) -> None:
    assert name_of(start_of(at)) == name
    assert parse(name) == start_of(at)
