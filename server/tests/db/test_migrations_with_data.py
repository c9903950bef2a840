# SPDX-License-Identifier: Apache-2.0
"""A database full of the first revision's rows migrates to head, is read through the API, migrates back."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nalm_core.verdict.verdict import judge
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.auth.tokens.service import digest_of
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from nalm_server_harness import AppClient
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import Engine, MetaData

pytestmark = pytest.mark.dialects

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
TOKEN = "nalm_" + "t" * 43
REPORT = make_report(1, head_costs={"nat": 190.0}, head_ipps={"nat": 420})


@pytest.fixture(params=["sqlite", "postgresql"])
def first_revision(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.db'}"
    else:
        url = request.getfixturevalue("databases").create()[1]
    migrate.upgrade(url, "0001")
    engine = make_engine(url)
    fill(engine)
    engine.dispose()
    yield url


def fill(engine: Engine) -> None:
    """As the first release's program wrote them."""
    tables = MetaData()
    tables.reflect(engine)
    verdict = judge(REPORT)
    commit = {"project_id": 1, "listed": True, "subject": "nat: slower", "message": "m", "author": "a"}
    commit["committed_at"] = None
    run = {
        **{"id": 1, "run_id": REPORT.run_id, "project_id": 1, "scenario_id": 1, "host_id": 1, "commit_id": 2},
        **{"job_id": 1, "base_sha": sha(0), "head_sha": sha(1), "host_class": "vm-2", "status": "measured"},
        **{"digest": "d" * 64, "started_at": NOW, "finished_at": NOW, "received_at": NOW},
    }
    earlier = {**run, "id": 2, "run_id": "e" * 32, "commit_id": 4, "job_id": None, "head_sha": sha(3)}
    earlier["started_at"] = MONDAY - timedelta(minutes=1)
    rows: dict[str, list[dict[str, Any]]] = {
        "projects": [
            {
                **{"id": 1, "name": "demo", "repository": "/srv/demo.git", "default_branch": "main"},
                **{"webhook_secret": b"sealed", "created_at": NOW},
            }
        ],
        "hosts": [
            {
                **{"id": 1, "name": "bench-vm-2", "host_class": "vm-2", "first_seen_at": NOW},
                "fingerprint": REPORT.host.model_dump(mode="json"),
            }
        ],
        "commits": [
            {**commit, "id": 1, "sha": sha(0), "position": 1, "listed": False},
            {**commit, "id": 2, "sha": sha(1), "parent_sha": sha(0), "position": 2, "committed_at": NOW},
            {**commit, "id": 3, "sha": sha(2), "position": 3, "committed_at": MONDAY},
            {**commit, "id": 4, "sha": sha(3), "position": 4},
        ],
        "deliveries": [
            {
                **{"id": 1, "project_id": 1, "forge": "github", "delivery": "x", "event": "push"},
                **{"received_at": NOW, "status": "taken", "reason": "", "job_ids": [1]},
            }
        ],
        "tokens": [
            {
                **{"id": 1, "digest": digest_of(TOKEN), "scope": "admin", "name": "admin"},
                "created_at": NOW,
            },
        ],
        "jobs": [
            {
                **{"id": 1, "project_id": 1, "commit_id": 2, "base_sha": sha(0), "head_sha": sha(1)},
                **{"reason": "push", "state": "done", "attempts": 1, "fence": 1, "host": "bench-vm-2"},
                **{"created_at": NOW, "updated_at": NOW, "finished_at": NOW, "log_tail": "built"},
            }
        ],
        "job_transitions": [{"id": 1, "job_id": 1, "state": "done", "at": NOW, "reason": "a result came"}],
        "scenarios": [
            {
                **{"id": 1, "project_id": 1, "name": "sfc_a", "model": "rtc", "lcores": 1},
                **{"traffic": "mixed.pcap", "load": "closed", "stages": ["rx", "nat", "l3fwd", "tx"]},
            }
        ],
        "series": [
            {
                **{"id": 1, "scenario_id": 1, "metric": "cpp", "host_class": "vm-2"},
                **{"stage": "chain", "source": "tsc"},
            }
        ],
        "runs": [run, earlier],
        "reports": [
            {
                "run_id": 1,
                "json_bytes": len(body_of(REPORT)),
                "compressed": zlib.compress(body_of(REPORT)),
            }
        ],
        "series_values": [
            {
                **{"series_id": 1, "run_id": 1, "value": 300.0, "low": 299.0, "high": 301.0},
                "samples": [299.0, 301.0],
            }
        ],
        "verdicts": [
            {
                **{"run_id": 1, "outcome": "regressed", "display": "regressed", "cause": "instructions"},
                **{"stage": "nat", "summary": verdict.summary, "features_added": [], "features_removed": []},
                **{"unchanged": False, "document": verdict.model_dump(mode="json")},
            }
        ],
    }
    with engine.begin() as connection:
        for table in tables.sorted_tables:
            if table.name in rows:
                connection.execute(table.insert(), rows[table.name])


def counts(url: str) -> dict[str, int]:
    engine = make_engine(url)
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        found = {one.name: len(connection.execute(one.select()).all()) for one in tables.sorted_tables}
    engine.dispose()
    return found


def test_rows_of_the_first_revision_are_read_at_head_and_survive_the_way_back(
    first_revision: str, tmp_path: Path
) -> None:
    before = counts(first_revision)
    migrate.upgrade(first_revision)
    context = make_context(
        Settings(state_dir=tmp_path / "state", database_url=first_revision, static_dir=tmp_path)
    )
    client = AppClient(make_app(context), headers={"Authorization": f"Bearer {TOKEN}"})

    def get(path: str) -> Any:
        answer = client.get(f"/api/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert get(f"/runs/{REPORT.run_id}")["verdict"]["outcome"] == "regressed"
    assert client.get(f"/api/v1/runs/{REPORT.run_id}/report").content == body_of(REPORT)
    points = get("/projects/demo/scenarios/sfc_a/history")["points"]
    assert points[0]["measured"]["chain"]["value"] == 300.0
    assert get("/projects/demo")["last_verdict"]["run_id"] == REPORT.run_id
    assert get("/jobs/1")["log_tail"] == "built"
    weeks = [(one["week"], one["commits"]) for one in get("/projects/demo/weeks")["weeks"]]
    assert weeks == [("2026-W47", 2), ("2026-W46", 1)]
    context.engine.dispose()
    migrate.downgrade(first_revision, "0001")
    assert counts(first_revision) == before
