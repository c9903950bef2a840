# SPDX-License-Identifier: Apache-2.0
"""A used database migrates to before the service judged histories, and to head again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from nalm_server.jobs.models import JobRow
from nalm_server.ops.report_store import moving
from nalm_server_harness import Clock, Service, make_service
from nalm_server_seeded import add_administrator, add_everything
from sqlalchemy import text

pytestmark = pytest.mark.dialects

BEFORE = "0008"
OLD_REASONS = {"person", "push", "pull_request", "schedule", "backfill", "bisect"}
NEW = [
    ("confirm", "queued"),
    ("confirm", "done"),
    ("experiment", "measuring"),
    ("control", "queued"),
    ("link", "queued"),
]
LINKS = (
    "SELECT series_id, link_values.run_id, part, series.stage, metric, ln_ratio, variance FROM link_values "
    "JOIN series ON series.id = series_id "
    "WHERE metric IN ('cpp', 'ipp', 'eipc') AND part = 0 "
    "ORDER BY series_id, link_values.run_id, part"
)


def reported(url: str, query: str) -> list[tuple[Any, ...]]:
    engine = make_engine(url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


@pytest.fixture
def used(make_settings: Callable[..., Settings], clock: Clock) -> Iterator[Service]:
    """It has something of everything, jobs of every reason too."""
    service = make_service(make_settings(mail_server="127.0.0.1:1", mail_from="nalm@example.org"), clock)
    add_administrator(service)
    add_everything(service)
    now = service.clock()
    with service.context.sessions() as session:
        for reason, state in NEW:
            job = JobRow(project_id=1, commit_id=2, base_sha="0" * 40, head_sha="1" * 40, reason=reason)
            job.state, job.attempts, job.fence, job.created_at, job.updated_at = state, 1, 1, now, now
            job.finished_at = now if state == "done" else None
            session.add(job)
        session.commit()
    assert sum(moving.into_database(service.context)) > 0
    service.context.engine.dispose()
    yield service
    service.context.engine.dispose()


def test_the_older_program_knows_all_that_is_left(used: Service, database_url: str) -> None:
    runs = reported(database_url, "SELECT id, run_id FROM runs ORDER BY id")
    jobs = reported(database_url, "SELECT id FROM jobs ORDER BY id")
    points = reported(database_url, "SELECT * FROM history_points ORDER BY run_number")
    links = reported(database_url, LINKS)
    assert len(links) > 10
    outcomes = reported(database_url, "SELECT * FROM commit_outcomes ORDER BY commit_id, display")
    assert points != [] and outcomes != []
    migrate.downgrade(database_url, BEFORE)
    assert reported(database_url, "SELECT id, run_id FROM runs ORDER BY id") == runs
    assert reported(database_url, "SELECT id FROM jobs ORDER BY id") == jobs
    assert {reason for (reason,) in reported(database_url, "SELECT reason FROM jobs")} <= OLD_REASONS
    last = f"SELECT state FROM jobs ORDER BY id DESC LIMIT {len(NEW)}"
    assert sorted(state for (state,) in reported(database_url, last)) == ["cancelled"] * 4 + ["done"]
    migrate.upgrade(database_url)
    assert reported(database_url, "SELECT * FROM history_points ORDER BY run_number") == points
    again = reported(database_url, LINKS)
    assert [one[:5] for one in again] == [one[:5] for one in links]
    for old, new in zip(links, again, strict=True):
        assert new[5:] == pytest.approx(old[5:], rel=0.5, abs=1e-5)
    assert reported(database_url, "SELECT * FROM commit_outcomes ORDER BY commit_id, display") == outcomes
    assert len(used.get("/jobs", limit=500)) == len(jobs)
    assert used.get("/projects/demo/change-points") == []
