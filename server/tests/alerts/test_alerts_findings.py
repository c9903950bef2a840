# SPDX-License-Identifier: Apache-2.0
"""Suspicions become alerts: one alert for each culprit, regardless of the source of the suspicion."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from nalm_server.alerts import findings, repository
from nalm_server.alerts.findings import Moved, Suspicion, suspect
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.rules.models import ExpectationRow, FloorRow, MuteRow
from nalm_server.auth.access.project_repository import find
from nalm_server.git.commits.order import record
from nalm_server_harness import Service, counted
from nalm_server_reports import sha
from sqlalchemy import select
from sqlalchemy.orm import Session

pytestmark = pytest.mark.dialects


@pytest.fixture
def commits(service: Service) -> list[int]:
    """Numbers of ten commits in a row."""
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        made = [
            record(session, project.id, sha(one), sha(one - 1) if one else None, listed=True).id
            for one in range(10)
        ]
        session.commit()
    return made


def moved(scenario: str = "sfc_a", stage: str = "chain", ratio: float = 1.05, **more: Any) -> Moved:
    given = {"host_class": "vm-2", "metric": "cpp", "low": ratio - 0.01, "high": ratio + 0.01} | more
    return Moved(scenario=scenario, stage=stage, ratio=ratio, **given)


def pair(commit: int, *series: Moved, **more: Any) -> Suspicion:
    given: dict[str, Any] = {"after_commit_id": None, "source": "pair", "kind": "regression"} | more
    return Suspicion(project_id=1, commit_id=commit, moved=list(series), **given)


def history(after: int, commit: int, *series: Moved) -> Suspicion:
    return pair(commit, *series, after_commit_id=after, source="history")


def say(service: Service, suspicion: Suspicion) -> int | None:
    """Stores the suspicion. Returns the id of the alert to confirm, or None."""
    with service.context.sessions() as session:
        alert = suspect(session, suspicion, service.clock())
        session.commit()
        return alert.id if alert else None


def alerts(session: Session) -> list[AlertRow]:
    return list(session.scalars(select(AlertRow).order_by(AlertRow.id)))


def add(service: Service, row: Any) -> None:
    with service.context.sessions() as session:
        session.add(row)
        session.commit()


def test_three_scenarios_and_their_stages_are_one_alert(service: Service, commits: list[int]) -> None:
    numbers = {
        say(service, pair(commits[5], moved(name, ratio=ratio), moved(name, "nat", 1.4)))
        for name, ratio in (("sfc_a", 1.05), ("sfc_b", 1.09), ("sfc_c", 1.02))
    }
    assert len(numbers) == 1
    with service.context.read_sessions() as session:
        (alert,) = alerts(session)
        assert alert.scenarios == ["sfc_a", "sfc_b", "sfc_c"]
        assert (alert.state, alert.scenario, alert.stage, alert.ratio) == ("new", "sfc_b", "nat", 1.09)
        assert alert.severity == pytest.approx(3 * 0.08617, rel=1e-3)
        assert len(repository.moves(session, alert.id)) == 6
        assert len(repository.states(session, alert.id)) == 1


def test_overlapping_ranges_of_a_series_are_one_finding_at_the_measured_pair(
    service: Service, commits: list[int]
) -> None:
    first = say(service, history(commits[2], commits[7], moved()))
    assert say(service, history(commits[4], commits[8], moved(host_class="bare-32"))) == first
    assert say(service, pair(commits[6], moved(), moved(stage="nat"))) == first
    assert say(service, history(commits[2], commits[7], moved("other"))) != first
    with service.context.read_sessions() as session:
        alert = session.get_one(AlertRow, first)
        assert (alert.commit_id, alert.after_commit_id, alert.source) == (commits[6], None, "pair")


def test_neighbouring_pairs_are_two_findings(service: Service, commits: list[int]) -> None:
    assert say(service, pair(commits[5], moved())) != say(service, pair(commits[6], moved()))


def test_alerts_elsewhere_need_no_queries(service: Service, commits: list[int]) -> None:
    numbers = []
    for commit in commits[1:6]:
        with counted(service) as queries:
            say(service, pair(commit, moved()))
        numbers.append(len(queries))
    assert len(set(numbers)) == 1, numbers


def test_what_is_muted_is_recorded_without_a_request(service: Service, commits: list[int]) -> None:
    now = service.clock()
    add(service, MuteRow(project_id=1, scenario="sfc_*", why="host moves", who="ann", created_at=now))
    assert say(service, pair(commits[5], moved())) is None
    with service.context.read_sessions() as session:
        (alert,) = alerts(session)
        assert (alert.state, alert.muted) == ("new", True)
    assert say(service, pair(commits[5], moved("other"))) is not None
    with service.context.read_sessions() as session:
        (alert,) = alerts(session)
        assert (alert.muted, alert.scenarios) == (False, ["other"])


@pytest.mark.parametrize(("ratio", "state"), [(1.029, "expected"), (1.031, "new")])
def test_an_expectation_holds_up_to_its_bound(
    service: Service, commits: list[int], ratio: float, state: str
) -> None:
    given = {"scenario": "*", "metric": "cpp", "bound": 1.03, "reason": "longer keys", "source": "commit"}
    add(
        service,
        ExpectationRow(project_id=1, commit_id=commits[5], who="ann", created_at=service.clock(), **given),
    )
    found = say(service, pair(commits[5], moved(ratio=ratio), moved(stage="nat", ratio=1.2)))
    assert (found is None) == (state == "expected")
    with service.context.read_sessions() as session:
        assert [one.state for one in alerts(session)] == [state]


def test_what_is_below_the_learned_floor_makes_no_alert_until_the_floor_has_decayed(
    service: Service, commits: list[int]
) -> None:
    series = {"scenario": "sfc_a", "host_class": "vm-2", "stage": "chain", "metric": "cpp"}
    add(service, FloorRow(project_id=1, size=0.02, who="ann", set_at=service.clock(), **series))
    assert say(service, pair(commits[5], moved(ratio=1.015))) is None
    with service.context.read_sessions() as session:
        assert alerts(session) == []
        (kept,) = repository.moves_at(session, commits[5])
        assert kept.fate == "below_floor"
    assert say(service, pair(commits[6], moved(ratio=1.03))) is not None
    service.clock.pass_seconds(90 * 86_400)
    assert say(service, pair(commits[7], moved(ratio=1.015))) is not None


def test_life_of_a_finding_said_twice_changes_nothing(service: Service, commits: list[int]) -> None:
    number = say(service, pair(commits[5], moved()))
    with service.context.sessions() as session:
        alert = session.get_one(AlertRow, number)
        for _ in range(2):
            findings.confirm(session, alert, "seen again", service.clock())
            findings.fix(session, alert, commits[8], "undone", service.clock())
            findings.dismiss(session, alert, "not seen", service.clock())
        assert [one.state for one in repository.states(session, alert.id)] == ["new", "confirmed", "fixed"]
        assert alert.fixed_by_id == commits[8]
        session.commit()
    assert say(service, pair(commits[5], moved())) is None
    assert say(service, pair(commits[9], moved())) not in (None, number)
    assert say(service, pair(commits[8], moved())) == number
    with service.context.read_sessions() as session:
        assert [one.state for one in alerts(session)] == ["reopened", "new"]


def test_a_dismissed_one_comes_back_only_with_something_new(service: Service, commits: list[int]) -> None:
    number = say(service, pair(commits[5], moved()))
    with service.context.sessions() as session:
        findings.dismiss(session, session.get_one(AlertRow, number), "not seen", service.clock())
        session.commit()
    assert say(service, pair(commits[5], moved())) is None
    assert say(service, pair(commits[5], moved("sfc_b"))) == number


def test_a_bisect_moves_the_culprit_and_what_is_there_is_joined(service: Service, commits: list[int]) -> None:
    first = say(service, history(commits[2], commits[7], moved()))
    second = say(service, pair(commits[5], moved("sfc_b")))
    with service.context.sessions() as session:
        alert = session.get_one(AlertRow, first)
        assert findings.move_culprit(session, alert, commits[6], "bisected", service.clock()).id == first
        joined = findings.move_culprit(session, alert, commits[5], "bisected", service.clock())
        assert (joined.id, joined.scenarios) == (second, ["sfc_a", "sfc_b"])
        session.commit()
    with service.context.read_sessions() as session:
        assert [one.state for one in alerts(session)] == ["dismissed", "new"]
    assert say(service, history(commits[5], commits[6], moved("sfc_c"))) == second, "joined for good"


def test_two_workers_that_suspect_one_commit_make_one_alert(service: Service, commits: list[int]) -> None:
    """Each worker has a transaction of its own; all begin at the same moment."""
    start = threading.Barrier(4)
    found: list[int | None] = []

    def work(scenario: str) -> None:
        start.wait()
        found.append(say(service, pair(commits[5], moved(scenario))))

    workers = [threading.Thread(target=work, args=(f"sfc_{one}",)) for one in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    with service.context.read_sessions() as session:
        (alert,) = alerts(session)
        assert len(alert.scenarios) == 4
