# SPDX-License-Identifier: Apache-2.0
"""Jobs of forks from before approvals were stored: approved ones stay approved, others wait again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from sqlalchemy import text

pytestmark = pytest.mark.dialects

AT = "2026-11-20 12:00:00+00"
COMMON = f"'pull_request', 1, 0, 0, '{AT}', '{AT}'"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'old.db'}"
    return str(request.getfixturevalue("databases").create()[1])


def run(url: str, *statements: str) -> list[tuple[Any, ...]]:
    engine = make_engine(url)
    with engine.begin() as connection:
        found = [connection.execute(text(one)) for one in statements]
        reported = [tuple(row) for row in found[-1]] if found[-1].returns_rows else []
    engine.dispose()
    return reported


def job(number: int, pull_request: int, state: str, held: str) -> str:
    return (
        "INSERT INTO jobs (id, project_id, commit_id, base_sha, head_sha, state, held, pull_request, reason, "
        f"priority, attempts, fence, created_at, updated_at) VALUES ({number}, 1, 1, '{number:040x}', 'h', "
        f"'{state}', {held}, {pull_request}, {COMMON})"
    )


@pytest.mark.nightly
def test_what_was_dropped_waits_again_and_what_was_approved_does_not(url: str) -> None:
    migrate.upgrade(url, "0018")
    requests = "INSERT INTO pull_requests (project_id, number, state, from_fork, head_sha, updated_at) VALUES"
    transition = "INSERT INTO job_transitions (job_id, state, at, reason, who) VALUES"
    run(
        url,
        "INSERT INTO projects (id, name, repository, default_branch, webhook_secret, created_at) "
        f"VALUES (1, 'demo', '/srv/x', 'main', 'sealed', '{AT}')",
        "INSERT INTO commits (id, project_id, sha, position, listed) VALUES (1, 1, 'h', 1, false)",
        *(f"{requests} (1, {n}, 'open', {str(n != 9).lower()}, 'h', '{AT}')" for n in (6, 7, 9)),
        job(1, 6, "queued", "NULL"),
        job(2, 7, "queued", "NULL"),
        job(3, 9, "queued", "NULL"),
        job(4, 6, "superseded", "NULL"),
        f"{transition} (2, 'queued', '{AT}', 'approved by mona: read', 'mona')",
    )
    migrate.upgrade(url)
    assert run(url, "SELECT id, fork, held IS NOT NULL FROM jobs ORDER BY id") == [
        (1, "pull request 6", True),
        (2, "pull request 7", False),
        (3, None, False),
        (4, "pull request 6", False),
    ]
    kept = "SELECT sha, fork, approved_by FROM approvals"
    assert run(url, kept) == [("h", "pull request 7", "mona")]
    run(url, "UPDATE jobs SET state = 'superseded' WHERE id = 1")
    migrate.downgrade(url, "0018")
    states = [(1, "cancelled"), (2, "queued"), (3, "queued"), (4, "cancelled")]
    assert run(url, "SELECT id, state FROM jobs ORDER BY id") == states
    migrate.upgrade(url)
    assert run(url, kept) == [("h", "pull request 7", "mona")], "as its transitions have it"
