# SPDX-License-Identifier: Apache-2.0
"""The engine's work for every kind of campaign, with a kind defined here by three functions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from nalm_server.base.errors import InvalidError
from nalm_server.campaigns import engine, repository
from nalm_server.campaigns import service as campaigns
from nalm_server.campaigns.kind import Kind, Plan, StepState, end
from nalm_server.campaigns.kinds import KINDS
from nalm_server.campaigns.models import StepRow
from nalm_server.db.context import Context
from nalm_server.git.commits.order import record
from nalm_server.git.graph import GraphError
from nalm_server.jobs import service as jobs
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason
from nalm_server_harness import Service, counted
from nalm_server_reports import sha
from nalm_server_seeded import backfill
from sqlalchemy.orm import Session

pytestmark = pytest.mark.dialects


class Twice(Kind):
    """A kind with two jobs, one after the other."""

    name = "twice"
    error: Exception | None = None

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        if self.error is not None:
            raise self.error
        waiting: dict[str, Any] = {"base_sha": sha(0), "state": StepState.WAITING, "detail": {}}
        return Plan([StepRow(head_sha=sha(number), **waiting) for number in (1, 2)], {"planned": True})

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        step = next((one for one in repository.steps(session, campaign.id) if one.job_id is None), None)
        if step is None:
            return False
        commit = record(session, campaign.project_id, step.head_sha, step.base_sha)
        job = jobs.enqueue(
            session,
            commit,
            step.base_sha,
            reason=JobReason.BISECT,
            why="twice",
            now=now,
            campaign=campaign,
        )
        step.job_id, step.state = job.id, StepState.QUEUED
        return True

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        if campaign.spec.get("ends"):
            end(campaign, "done", now, "both are measured")


@pytest.fixture
def twice(monkeypatch: pytest.MonkeyPatch) -> Twice:
    kind = Twice()
    monkeypatch.setitem(KINDS, kind.name, kind)
    return kind


def start(service: Service, **spec: Any) -> int:
    with service.context.sessions() as session:
        made = campaigns.start(session, 1, "twice", spec, requested_by="ann", now=service.clock())
        session.commit()
        return made.id


def stored(service: Service, campaign_id: int) -> CampaignRow:
    with service.context.read_sessions() as session:
        found = repository.get(session, campaign_id)
    assert found is not None
    return found


def test_a_kind_is_planned_once_requested_until_it_has_no_more_and_concluded(
    service: Service, twice: Twice
) -> None:
    campaign = start(service, ends=True)
    engine.drain(service.context)
    row = stored(service, campaign)
    assert (row.state, row.active, row.message) == ("done", False, "both are measured")
    assert row.spec == {"ends": True, "planned": True}
    with service.context.read_sessions() as session:
        steps = repository.steps(session, campaign)
        assert [(step.ordinal, step.state) for step in steps] == [(0, "queued"), (1, "queued")]
    assert {job["reason"] for job in service.get("/jobs")} == {"bisect"}
    assert [job["bisect_id"] for job in service.get("/jobs")] == [None, None], "it is of another kind"


def test_what_the_repository_refuses_is_tried_again_what_cannot_be_planned_fails(
    service: Service, twice: Twice
) -> None:
    twice.error = GraphError("the repository is away")
    campaign = start(service)
    engine.drain(service.context)
    row = stored(service, campaign)
    assert (row.state, row.active, row.tries, row.message) == ("planning", True, 1, "the repository is away")
    assert row.not_before is not None
    engine.drain(service.context)
    assert stored(service, campaign).tries == 1, "not before its time"
    service.clock.pass_seconds(60)
    twice.error = InvalidError("there is no such line")
    engine.drain(service.context)
    row = stored(service, campaign)
    assert (row.state, row.active, row.message) == ("failed", False, "there is no such line")


def test_stopping_ends_its_jobs(service: Service, twice: Twice) -> None:
    campaign = start(service)
    engine.drain(service.context)
    with service.context.sessions() as session:
        row = repository.get(session, campaign)
        assert row is not None
        now = service.clock()
        assert campaigns.stop(session, row, "not needed", now)
        assert not campaigns.stop(session, row, "not needed", now), "it is over"
        session.commit()
    assert stored(service, campaign).state == "cancelled"
    assert {job["state"] for job in service.get("/jobs")} == {"cancelled"}


def test_numbers_are_counted_for_each_kind(service: Service, twice: Twice) -> None:
    with service.context.sessions() as session:
        assert repository.next_number(session, "twice") == 1
    first = start(service)
    second = start(service)
    assert [stored(service, one).number for one in (first, second)] == [1, 2]
    with service.context.sessions() as session:
        assert repository.next_number(session, "backfill") == 1


@pytest.mark.parametrize("path", ["/projects/demo/backfills", "/jobs"])
def test_lists_ask_the_database_as_often_for_one_as_for_many(
    service: Service, twice: Twice, path: str
) -> None:
    counts = []
    for number in (1, 2, 3):
        now = service.clock()
        common = {"state": "running", "requested_by": "x", "tries": 0, "created_at": now, "updated_at": now}
        with service.context.sessions() as session:
            session.add(backfill(number, project_id=1, **common))
            session.commit()
        start(service)
        engine.drain(service.context)
        with counted(service) as statements:
            assert len(service.request("GET", path, "admin")) >= number
        counts.append(len(statements))
    assert len(set(counts)) == 1, counts
