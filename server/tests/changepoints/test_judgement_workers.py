# SPDX-License-Identifier: Apache-2.0
"""Looks among several workers, one of which may die at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from threading import Thread
from typing import Any

import pytest
from nalm_server.auth.access import project_repository as projects
from nalm_server.changepoints import level_back, significance, tasks, triggers
from nalm_server.changepoints import looks_repository as looks
from nalm_server.changepoints.look import look
from nalm_server.worker.kinds import Work
from nalm_server_harness import Service
from nalm_server_measured import Measured, store
from sqlalchemy.orm import Session

DEMO = 1


def step(scenario: str) -> list[Measured]:
    noise = Random(7)
    levels = [150.0] * 14 + [160.0] * 8
    return [
        Measured(number, {"nat": level * (1 + noise.gauss(0, 0.003))}, scenario)
        for number, level in enumerate(levels, start=1)
    ]


def states(service: Service) -> dict[str, set[str]]:
    """By scenario, those of its change points."""
    found = service.get("/projects/demo/change-points")
    return {
        name: {one["state"] for one in found if one["scenario"] == name}
        for name in {one["scenario"] for one in found}
    }


def test_look_of_a_worker_that_died_is_taken_up(service: Service) -> None:
    store(service, step("sfc_a"))
    with service.context.sessions() as session:
        assert looks.claim(session, service.clock(), None) is not None
        session.commit()
    tasks.drain(service.context)
    assert states(service) == {}
    service.clock.pass_seconds(looks.CLAIM.lasting / timedelta(seconds=1))
    tasks.drain(service.context)
    assert states(service) == {"sfc_a": {"standing"}}


@pytest.mark.dialects
def test_worker_that_comes_too_late_stores_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it judged, its claim ran out, another worker looked, and more was measured."""
    store(service, step("sfc_a"))

    def slowly(*given: Any) -> Any:
        monkeypatch.setattr(tasks, "look", look)
        found = look(*given)
        service.clock.pass_seconds(looks.CLAIM.lasting / timedelta(seconds=1))
        with elsewhere(service):
            pass
        found.found.clear()
        return found

    monkeypatch.setattr(tasks, "look", slowly)
    tasks.drain(service.context)
    assert states(service) == {"sfc_a": {"standing"}}


def test_a_look_requested_again_meanwhile_waits_for_the_next_run(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else reports that keep coming keep one run busy with one history. It wakes the next run itself: whom
    the request woke may have found the look claimed."""
    store(service, step("sfc_a"))
    looked: list[str] = []
    woken: list[Work] = []
    monkeypatch.setattr(tasks, "wake", lambda _session, kind: woken.append(kind))

    def again(session: Session, line: Any, *given: Any) -> Any:
        looked.append("sfc_a")
        with service.context.sessions() as other:
            triggers.project(other, DEMO, whole=False)
            other.commit()
        return look(session, line, *given)

    monkeypatch.setattr(tasks, "look", again)
    tasks.drain(service.context)
    assert len(looked) == len(woken) == 1
    tasks.drain(service.context)
    assert len(looked) == len(woken) == 2
    monkeypatch.setattr(tasks, "look", look)
    tasks.drain(service.context)
    assert woken == [Work.JUDGEMENT] * 2
    assert states(service) == {"sfc_a": {"standing"}}


@contextmanager
def elsewhere(service: Service) -> Iterator[None]:
    """Another worker looks meanwhile; it is waited for at the end."""
    other = Thread(target=tasks.drain, args=(service.context,))
    other.start()
    yield
    other.join()


@pytest.mark.nightly
@pytest.mark.dialects
def test_what_is_found_while_a_project_is_weighed_is_weighed_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker weighs; another finds something, and dies before it would have it weighed."""
    store(service, step("sfc_a"))
    tasks.drain(service.context)
    store(service, step("sfc_b"))
    to_level, unsettled = level_back.look, looks.unsettled_projects
    others: list[Thread] = []

    def meanwhile(session: Session, project_id: int, now: Any) -> None:
        monkeypatch.setattr(looks, "unsettled_projects", lambda _session: [])
        others.append(Thread(target=tasks.drain, args=(service.context,)))
        others[0].start()
        others[0].join(0.5)  # it waits for this one, and is then through
        to_level(session, project_id, now)

    monkeypatch.setattr(level_back, "look", meanwhile)
    significance.settle(service.context, DEMO)
    others[0].join()
    monkeypatch.setattr(level_back, "look", to_level)
    monkeypatch.setattr(looks, "unsettled_projects", unsettled)
    tasks.drain(service.context)
    assert states(service) == {"sfc_a": {"standing"}, "sfc_b": {"standing"}}


@pytest.mark.dialects
def test_project_may_go_while_it_is_looked_at(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    store(service, step("sfc_a"))

    def then_gone(*given: Any) -> Any:
        found = look(*given)
        with service.context.sessions() as session:
            session.delete(projects.get(session, DEMO))
            session.commit()
        return found

    monkeypatch.setattr(tasks, "look", then_gone)
    tasks.drain(service.context)
    with service.context.sessions() as session:
        assert looks.unsettled_projects(session) == []
        assert triggers.project(session, DEMO, whole=False) == 0
