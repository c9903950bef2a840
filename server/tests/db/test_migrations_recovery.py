# SPDX-License-Identifier: Apache-2.0
"""The migration corrects times wrongly stored as confirmations, by the trails of the alerts, and back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from nalm_server_reports import sha
from sqlalchemy import Engine, MetaData, select

pytestmark = pytest.mark.dialects

AT = [datetime(2026, 11, 20, hour, tzinfo=UTC) for hour in range(6)]
FIXED = ("fixed", 3, None, "abc takes it back in every scenario")
TRAILS: dict[int, tuple[str, int | None, list[tuple[str, int, str | None, str]]]] = {
    1: ("fixed", 3, [("new", 1, None, "measured"), FIXED]),
    2: ("fixed", 2, [("new", 1, None, "measured"), ("confirmed", 2, None, "regressed again on a"), FIXED]),
    3: ("confirmed", 2, [("new", 1, None, "x"), ("confirmed", 2, None, "as first seen: pool p has no host")]),
    4: ("fixed", None, [("new", 1, None, "x"), ("fixed", 3, "ann", "I did it")]),
    5: (
        "acknowledged",
        2,
        [("acknowledged", 1, "ann", "mine"), ("acknowledged", 2, None, "regressed again")],
    ),
}
"""By alert: its state, the hour stored as confirmed_at, its trail."""


@pytest.fixture(params=["sqlite", "postgresql"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.db'}"
    else:
        url = request.getfixturevalue("databases").create()[1]
    migrate.upgrade(url, "0021")
    engine = make_engine(url)
    fill(engine)
    engine.dispose()
    yield url


def fill(engine: Engine) -> None:
    tables = MetaData()
    tables.reflect(engine)
    project = {"id": 1, "name": "demo", "repository": "/srv/demo.git", "default_branch": "main"}
    commits: list[dict[str, Any]] = []
    alerts: list[dict[str, Any]] = []
    states: list[dict[str, Any]] = []
    for number, (state, confirmed, trail) in TRAILS.items():
        commits.append(
            {"id": number, "project_id": 1, "sha": sha(number), "position": number, "listed": True}
        )
        alerts.append(
            {
                **{"id": number, "project_id": 1, "commit_id": number, "state": state, "scenarios": []},
                "confirmed_at": AT[confirmed] if confirmed is not None else None,
                **{"created_at": AT[0], "updated_at": AT[0], "muted": False},
            }
        )
        states += [
            {"alert_id": number, "state": state, "at": AT[hour], "who": who, "why": why, "told": False}
            for state, hour, who, why in trail
        ]
    with engine.begin() as connection:
        connection.execute(
            tables.tables["projects"].insert(), {**project, "webhook_secret": b"s", "created_at": AT[0]}
        )
        for name, rows in (("commits", commits), ("alerts", alerts), ("alert_states", states)):
            connection.execute(tables.tables[name].insert(), rows)


def stored(url: str, column: str) -> dict[int, int | None]:
    """By alert, the hour."""
    engine = make_engine(url)
    tables = MetaData()
    tables.reflect(engine)
    alerts = tables.tables["alerts"]
    with engine.connect() as connection:
        rows = connection.execute(select(alerts.c.id, alerts.c[column]).order_by(alerts.c.id)).all()
    engine.dispose()
    return {number: at.astimezone(UTC).hour if at and at.tzinfo else at and at.hour for number, at in rows}


@pytest.mark.nightly
def test_a_fix_and_a_report_without_a_second_look_are_no_confirmations(before: str) -> None:
    migrate.upgrade(before)
    assert stored(before, "confirmed_at") == {1: None, 2: 2, 3: None, 4: None, 5: 2}
    assert stored(before, "fix_measured_at") == {1: 3, 2: 3, 3: None, 4: None, 5: None}
    migrate.downgrade(before, "0021")
    assert stored(before, "confirmed_at") == {1: 3, 2: 2, 3: 2, 4: None, 5: 2}
