# SPDX-License-Identifier: Apache-2.0
"""Migrates a database from before campaigns were one table; upgrade and downgrade lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.auth.tokens.service import digest_of
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from nalm_server_harness import AppClient
from nalm_server_reports import sha
from sqlalchemy import Engine, MetaData, inspect

pytestmark = pytest.mark.dialects

BEFORE = "0022"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOKEN = "nalm_" + "t" * 43
TIMES = {"created_at": NOW, "updated_at": NOW}
ENDED = {**TIMES, "finished_at": NOW}
REQUESTED = {"project_id": 1, "requested_by": "ann", "tries": 0}
RANGE = {**REQUESTED, "first_sha": sha(0), "last_sha": sha(3)}
SEARCH = {**REQUESTED, "scenario": "sfc_a", "good_sha": sha(0), "bad_sha": sha(2)}
MODELS = {"kind": "models", "cells": 1, "taken": 1, "partial": True, "unusable": {}, "rows": []}
EXPERIMENT = {"project_id": 1, "commit_id": 2, "kind": "models", "requested_by": "ann"}
MEASURED = {"scenario": "sfc_a", "asked_at": NOW, "first_host": "a"}

ROWS: dict[str, list[dict[str, Any]]] = {
    "projects": [
        {
            **{"id": 1, "name": "demo", "repository": "/srv/demo.git", "default_branch": "main"},
            **{"webhook_secret": b"sealed", "created_at": NOW},
        }
    ],
    "tokens": [
        {"id": 1, "digest": digest_of(TOKEN), "scope": "admin", "name": "admin", "created_at": NOW},
    ],
    "commits": [
        {"id": number, "project_id": 1, "sha": sha(number), "position": number, "listed": True}
        for number in range(1, 4)
    ],
    "backfills": [
        {**RANGE, **TIMES, "id": 3, "every": 1, "scenarios": None, "state": "running"},
        {**RANGE, **ENDED, "id": 5, "every": 2, "scenarios": ["sfc_a"], "state": "done", "message": "m"},
    ],
    "bisects": [
        {**SEARCH, **TIMES, "id": 3, "state": "planning", "tries": 1, "not_before": NOW, "commits": None},
        {
            **{**SEARCH, **ENDED, "id": 4, "state": "found", "message": "found it", "direction": "regressed"},
            **{"commits": [sha(0), sha(1), sha(2)], "low_sha": sha(1), "high_sha": sha(2)},
        },
    ],
    "alerts": [
        {
            **{"id": number, "project_id": 1, "commit_id": number, "state": "confirmed", "scenarios": []},
            **{**TIMES, "muted": False, "kind": "regression", "source": "pair"},
        }
        for number in (1, 2)
    ],
    "confirmation_plans": [
        {
            **{"alert_id": 1, "state": "bisecting", "base_sha": sha(0), "head_sha": sha(2), "gradual": False},
            **{"why": "looks", "seen_on": ["a"], "not_seen_on": ["b"], "begun_at": NOW, "updated_at": NOW},
        },
        {
            **{"alert_id": 2, "state": "confirmed", "base_sha": sha(0), "head_sha": sha(1), "gradual": True},
            **{"seen_on": [], "not_seen_on": [], "begun_at": NOW, "updated_at": NOW, "finished_at": NOW},
        },
    ],
    "experiments": [
        {
            **{"id": 7, "names": ["a"], "seed": 5, "cell_seconds": 2 / 3, "state": "running"},
            **{**EXPERIMENT, **TIMES, "host_class": "vm-2", "fitted_cells": 1, "result": MODELS},
        },
        {
            **{"id": 8, "names": [], "seed": 6, "cell_seconds": None, "state": "failed", "message": "none"},
            **{**EXPERIMENT, **ENDED, "host_class": None, "fitted_cells": 0, "result": None},
        },
    ],
    "jobs": [
        {
            **{"id": number, "project_id": 1, "commit_id": 1, "base_sha": sha(0), "head_sha": sha(1)},
            **{"reason": reason, "state": "done", "attempts": 1, "fence": 1, **ENDED, **group},
        }
        for number, (reason, group) in enumerate(
            (
                ("push", {}),
                ("backfill", {"backfill_id": 3}),
                ("bisect", {"bisect_id": 4}),
                ("confirm", {"alert_id": 1}),
                ("experiment", {"experiment_id": 7}),
            ),
            start=1,
        )
    ],
    "experiment_cells": [
        {
            **{"id": 9, "experiment_id": 7, "name": "nat", "subject": "sfc_a", "use": "fit", "head": None},
            **{
                "base": {"features": [], "command": ["nf"], "traffic": "t"},
                "run_id": "c" * 32,
                "digest": "d",
                "host": "h",
                "host_class": "vm-2",
            },
            **{"unusable": None, "ratio": 1 / 3, "low": 0.1, "high": 2 / 3, "compressed": b"x"},
            **{"received_at": NOW, "stored_digest": None, "stored_bytes": None},
        }
    ],
    "backfill_steps": [
        {"backfill_id": 3, "ordinal": ordinal, "base_sha": sha(ordinal), "head_sha": sha(ordinal + 1)}
        | {"state": state, "job_id": job}
        for ordinal, (state, job) in enumerate((("done", 2), ("reused", None), ("waiting", None)))
    ],
    "bisect_steps": [
        {"bisect_id": 4, "sha": sha(place), "at": NOW, "place": place, "reused": reused, "job_id": job}
        | {"finding": finding, "why": "w", "measurements": 2, "budget_seconds": 40.5, "run_id": "a" * 32}
        for place, finding, reused, job in ((2, "bad", True, None), (1, "good", False, 3))
    ],
    "confirmations": [
        {**MEASURED, "alert_id": 1, "wanted": "same", "job_id": 4, "outcome": "regressed", "host": "a"}
        | {"ratio": 1 / 3, "low": 0.1, "high": 2 / 3, "level": 0.95, "answered_at": NOW, "why": "slower"},
        {**MEASURED, "alert_id": 1, "wanted": "bisect", "bisect_id": 3, "first_host": None},
        {**MEASURED, "alert_id": 2, "wanted": "other", "outcome": "lost", "answered_at": NOW},
    ],
}
COMPARED = tuple(name for name in ROWS if name not in ("projects", "tokens", "commits", "alerts"))


@pytest.fixture(params=["sqlite", "postgresql"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.db'}"
    else:
        url = request.getfixturevalue("databases").create()[1]
    migrate.upgrade(url, BEFORE)
    engine = make_engine(url)
    fill(engine)
    engine.dispose()
    yield url


def fill(engine: Engine) -> None:
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for name, rows in ROWS.items():
            for row in rows:
                connection.execute(tables.tables[name].insert(), row)
        if engine.dialect.name == "postgresql":  # it does not count rows that came with a number
            for name, rows in ROWS.items():
                if any("id" in row for row in rows):
                    connection.exec_driver_sql(
                        f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT max(id) FROM {name}))"
                    )


def stored(url: str) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows that the older version has, except the ids of steps, to which no row refers."""
    engine = make_engine(url)
    tables = MetaData()
    tables.reflect(engine, only=COMPARED)
    found = {}
    with engine.connect() as connection:
        for name in COMPARED:
            table = tables.tables[name]
            order = table.c.get("id", table.c.get("alert_id"))
            rows = connection.execute(table.select().order_by(order)).mappings().all()
            own = {"id"} if name.endswith("_steps") or name == "confirmations" else set()
            found[name] = [{key: row[key] for key in row if key not in own} for row in rows]
    engine.dispose()
    return found


def client_of(url: str, tmp_path: Path) -> AppClient:
    context = make_context(Settings(state_dir=tmp_path / "state", database_url=url, static_dir=tmp_path))
    return AppClient(make_app(context), headers={"Authorization": f"Bearer {TOKEN}"})


def get(client: AppClient, path: str) -> Any:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.nightly
def test_there_and_back_nothing_is_lost(before: str) -> None:
    old = stored(before)
    migrate.upgrade(before)
    migrate.downgrade(before, BEFORE)
    assert stored(before) == old
    engine = make_engine(before)
    assert "campaigns" not in inspect(engine).get_table_names()
    engine.dispose()
    migrate.upgrade(before)


@pytest.mark.nightly
def test_addresses_answer_as_before(before: str, tmp_path: Path) -> None:
    migrate.upgrade(before)
    client = client_of(before, tmp_path)
    backfill = get(client, "/backfills/3")
    assert (backfill["state"], backfill["first_sha"], backfill["every"]) == ("running", sha(0), 1)
    assert backfill["progress"] == {
        "total": 3, "waiting": 1, "queued": 0, "reused": 1, "done": 1, "failed": 0,
    }  # fmt: skip
    assert [one["id"] for one in get(client, "/projects/demo/backfills")] == [5, 3]
    assert get(client, "/backfills/5")["scenarios"] == ["sfc_a"]
    bisect = get(client, "/bisections/4")
    assert (bisect["state"], bisect["commits"], bisect["high_sha"]) == ("found", 2, sha(2))
    assert [step["finding"] for step in bisect["steps"]] == ["bad", "good"], "in the order in which they came"
    assert [step["reused"] for step in bisect["steps"]] == [True, False]
    assert {step["at"] for step in bisect["steps"]} == {"2026-11-20T12:00:00Z"}
    assert get(client, "/bisections/3")["commits"] is None
    confirming = get(client, "/alerts/1")["confirming"]
    assert (confirming["state"], confirming["why"], confirming["host_specific"]) == (
        "bisecting",
        "looks",
        True,
    )
    measured, searched = confirming["measurements"]
    assert (measured["ratio"], measured["high"], measured["job_id"]) == (1 / 3, 2 / 3, 4)
    assert (searched["bisect_id"], searched["outcome"], searched["first_host"]) == (3, None, None)
    running = get(client, "/experiments/7")
    assert (running["state"], running["sha"], running["names"], running["host_class"]) == (
        *("running", sha(2)),
        ["a"],
        "vm-2",
    )
    assert (running["cell_seconds"], running["job_id"], running["result"]["partial"]) == (2 / 3, 5, True)
    assert [(cell["number"], cell["ratio"]) for cell in running["taken"]] == [(9, 1 / 3)]
    failed = get(client, "/experiments/8")
    assert (failed["state"], failed["message"], failed["result"], failed["job_id"]) == (
        *("failed", "none"),
        None,
        None,
    )
    listed = get(client, "/projects/demo/experiments?kind=models")
    assert [(one["id"], one["cells"]) for one in listed] == [(8, 0), (7, 1)]
    groups = [(job["alert_id"], job["bisect_id"], job["backfill_id"]) for job in get(client, "/jobs")]
    assert groups.pop(0) == (None, None, None) and get(client, "/jobs/5")["experiment_id"] == 7
    assert groups == [(1, None, None), (None, 4, None), (None, None, 3), (None, None, None)]


@pytest.mark.nightly
def test_what_ended_since_is_known_on_the_way_back(before: str, tmp_path: Path) -> None:
    migrate.upgrade(before)
    client = client_of(before, tmp_path)
    assert client.post("/api/v1/backfills/3/cancel").status_code == 200
    migrate.downgrade(before, BEFORE)
    now = stored(before)
    assert [row["state"] for row in now["backfills"]] == ["cancelled", "done"]
    assert now["backfills"][0]["message"] == "cancelled by admin"
