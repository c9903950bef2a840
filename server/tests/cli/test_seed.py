# SPDX-License-Identifier: Apache-2.0
"""A seeded project is complete: every page's answer, and the same on a second seeding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nalm_server.app.application import make_app
from nalm_server.app.context import open_context
from nalm_server.base.settings import Settings
from nalm_server.cli.main import app
from nalm_server.db import migrate
from nalm_server.results import outcome_repository
from nalm_server.results.series import history_repository
from nalm_server_harness import AppClient
from sqlalchemy import text
from typer.testing import CliRunner

pytestmark = pytest.mark.dialects

SIZE = ["--commits", "120", "--scenarios", "7", "--hosts", "3", "--dense", "60"]
P = "/api/v1/projects/seeded"


@pytest.fixture
def seeded(make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    settings = make_settings()
    migrate.upgrade(settings.resolved_database_url)
    if settings.database_url:
        monkeypatch.setenv("NALM_DATABASE_URL", settings.database_url)

    def call(*more: str) -> Any:
        return CliRunner().invoke(app, ["seed", *SIZE, *more, "--state", str(settings.state_dir)])

    call.settings = settings  # type: ignore[attr-defined]
    return call


def test_every_page_has_its_answer(seeded: Callable[..., Any]) -> None:
    result = seeded()
    assert result.exit_code == 0, result.output
    assert "120 commits, 7 scenarios, 3 hosts" in result.output
    with open_context(seeded.settings) as context, AppClient(make_app(context)) as client:  # type: ignore[attr-defined]

        def get(path: str) -> Any:
            answer = client.get(path)
            assert answer.status_code == 200, (path, answer.text)
            return answer.json()

        commits = get(f"{P}/commits/search?limit=200")["commits"]
        assert len(commits) == 120
        assert sum(commits[0]["outcomes"].values()) == 7 and sum(commits[-1]["outcomes"].values()) >= 5
        alerts = get(f"{P}/alerts?limit=500")
        changed = {one["sha"] for one in commits if "regressed" in one["outcomes"]}
        assert alerts and {one["sha"] for one in alerts} <= changed
        assert get(f"/api/v1/alerts/{alerts[0]['id']}")["moves"]
        assert get(f"{P}/commits/search?text=nat/nat_table.c")["commits"]
        names = [one["name"] for one in get(f"{P}/scenarios")]
        lines = get(f"{P}/lines/columns?scenario={names[0]}&metric=cpp&metric=pps")
        assert len(lines["commits"]["sha"]) > 100
        worst = commits[0]["verdicts"][0]
        assert get(f"/api/v1/runs/{worst['run_id']}")["verdict"]["display"] == worst["display"]
        assert [one["project"] for one in get("/api/v1/overview")["trends"]] == ["seeded"]
        assert any(one["overall"]["low"] < one["overall"]["high"] for one in get(f"{P}/weeks")["weeks"])
        assert get("/api/v1/projects")[0]["alerts_open"] > 0


def test_what_is_kept_beside_runs_is_what_runs_say(seeded: Callable[..., Any]) -> None:
    """Points and outcomes were written in bulk: made again from the runs, they are the same."""
    assert seeded().exit_code == 0
    with open_context(seeded.settings) as context, context.sessions() as session:  # type: ignore[attr-defined]

        def rows(table: str, order: str) -> list[Any]:
            return [tuple(row) for row in session.execute(text(f"SELECT * FROM {table} ORDER BY {order}"))]

        before = rows("commit_outcomes", "commit_id, display"), rows("history_points", "run_number")
        runs = session.execute(text("SELECT DISTINCT scenario_id, host_class, commit_id FROM runs")).all()
        for scenario_id, host_class, commit_id in runs:
            history_repository.refresh(session, scenario_id, host_class, commit_id)
        for commit_id in {row[2] for row in runs}:
            outcome_repository.refresh(session, commit_id)
        assert (rows("commit_outcomes", "commit_id, display"), rows("history_points", "run_number")) == before


def test_a_second_project_gets_the_same_figures_and_further_numbers(seeded: Callable[..., Any]) -> None:
    assert seeded().exit_code == 0
    assert seeded("--project", "again").exit_code == 0
    taken = seeded()
    assert taken.exit_code == 2
    with open_context(seeded.settings) as context, context.read_sessions() as session:  # type: ignore[attr-defined]
        figures = [
            session.execute(
                text(
                    "SELECT round(CAST(sum(v.value) AS NUMERIC), 3) FROM series_values v JOIN runs r "
                    "ON r.id = v.run_id JOIN projects p ON p.id = r.project_id WHERE p.name = :name"
                ),
                {"name": name},
            ).scalar_one()
            for name in ("seeded", "again")
        ]
    assert figures[0] == figures[1]
