# SPDX-License-Identifier: Apache-2.0
"""A worker keeps its claim on a delivery while it works; after its death the delivery is free again soon."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.auth.access import project_repository as projects
from nalm_server.jobs import repository as jobs
from nalm_server.webhooks import apply, claims, repository
from nalm_server.webhooks.claims import RETRY
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.repository import HELD
from nalm_server.webhooks.tasks import drain
from nalm_server_deliveries import KilledError, payload
from nalm_server_harness import Clock, Service
from nalm_server_waiting import until
from sqlalchemy import select, text
from sqlalchemy.exc import TimeoutError as NoConnectionError

pytestmark = pytest.mark.dialects


def only(service: Service) -> DeliveryRow:
    with service.context.read_sessions() as session:
        return session.scalars(select(DeliveryRow)).one()


def test_a_delivery_in_hand_is_held_on_to(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, hold = apply.planned, repository.hold
    troubles = [NoConnectionError("none was free")]

    def renew(*given: Any) -> None:
        if troubles:
            raise troubles.pop()
        hold(*given)

    def long(*given: Any, **named: Any) -> Any:
        for _ in range(2):
            clock.pass_seconds(HELD.total_seconds() - 1)
            drain(service.context)
            until(lambda: only(service).next_at == clock() + HELD, "the hold to be renewed")
        return planned(*given, **named)

    monkeypatch.setattr(claims, "RENEWED_SECONDS", 0.01)
    monkeypatch.setattr(repository, "hold", renew)
    monkeypatch.setattr(apply, "planned", long)
    assert service.hook(payload("push_merge"), 202)["became"] == "accepted"
    assert (only(service).attempts, troubles) == (1, [])


def dies(*_: Any, **__: Any) -> None:
    raise KilledError


def test_a_delivery_whose_worker_died_is_worked_on_soon(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(KilledError):
        patched.setattr(apply, "planned", dies)
        service.hook(payload("push_merge"), 202)
    drain(service.context)
    assert only(service).status == "received"
    clock.pass_seconds(HELD.total_seconds() + 1)
    drain(service.context)
    assert (only(service).status, only(service).attempts) == ("accepted", 2)


def test_a_delivery_that_every_worker_dies_of_is_given_up(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply, "planned", dies)
    with pytest.raises(KilledError):
        service.hook(payload("push_merge"), 202)
    for _ in range(RETRY.tries - 1):
        clock.pass_seconds(HELD.total_seconds() + 1)
        with pytest.raises(KilledError):
            drain(service.context)
    clock.pass_seconds(HELD.total_seconds() + 1)
    drain(service.context)
    assert (only(service).status, only(service).attempts) == ("failed", RETRY.tries)
    assert "given up after 8 tries: the worker process ended" in only(service).reason


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_whoever_holds_a_project_keeps_nobody_from_its_jobs(service: Service) -> None:
    """An agent's progress and the intake of a report lock the same rows in opposite orders."""
    number = service.hook(payload("push_merge"), 202)["job_ids"][0]
    with service.context.sessions() as taking, service.context.sessions() as progress:
        projects.lock(taking, 1)
        progress.execute(text("SET LOCAL lock_timeout = '2s'"))
        job = jobs.lock(progress, number)
        assert job
        for fraction in (0.25, 0.5):  # the second time PostgreSQL looks at the foreign key again
            job.fraction = fraction
            progress.flush()
        progress.commit()
