# SPDX-License-Identifier: Apache-2.0
"""A seeded project is complete: every page's answer, and the same on a second seeding."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nalm_server.app.application import make_app
from nalm_server.app.context import open_context
from nalm_server.base.settings import Settings
from nalm_server.cli.main import app
from nalm_server.results import outcome_repository
from nalm_server.results.series import history_repository
from nalm_server_harness import AppClient
from sqlalchemy import make_url, text
from typer.testing import CliRunner, Result

pytestmark = pytest.mark.dialects

SIZE = ["--commits", "120", "--scenarios", "7", "--hosts", "3", "--dense", "60"]
P = "/api/v1/projects/seeded"


def seed(settings: Settings, *more: str) -> Result:
    assert settings.database_url is not None
    words = ["seed", *SIZE, *more, "--state", str(settings.state_dir)]
    return CliRunner().invoke(app, words, env={"NALM_DATABASE_URL": settings.database_url})


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A database with the seeded project."""
    home = tmp_path_factory.mktemp("seeded")
    if request.param == "sqlite":
        url = f"sqlite:///{shutil.copy(request.getfixturevalue('sqlite_template'), home / 'nalm.db')}"
    else:
        _, url = request.getfixturevalue("databases").create(request.getfixturevalue("postgres_template"))
    settings = Settings(state_dir=home, database_url=url)
    result = seed(settings)
    assert result.exit_code == 0, result.output
    assert "120 commits, 7 scenarios, 3 hosts" in result.output
    return settings


@pytest.fixture
def seeded(request: pytest.FixtureRequest, template: Settings, tmp_path: Path) -> Iterator[Settings]:
    """A copy."""
    state = tmp_path / "state"
    shutil.copytree(template.state_dir, state)
    kept = make_url(template.database_url or "")
    if kept.get_backend_name() == "sqlite":
        yield Settings(state_dir=state, database_url=f"sqlite:///{state / 'nalm.db'}")
        return
    databases = request.getfixturevalue("databases")
    name, url = databases.create(kept.database)
    yield Settings(state_dir=state, database_url=url)
    databases.drop(name)


def test_every_page_has_its_answer(seeded: Settings) -> None:
    with open_context(seeded) as context, AppClient(make_app(context)) as client:

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


@pytest.mark.nightly
def test_what_is_kept_beside_runs_is_what_runs_say(seeded: Settings) -> None:
    """Points and outcomes were written in bulk: made again from the runs, they are the same."""
    with open_context(seeded) as context, context.sessions() as session:

        def rows(table: str, order: str) -> list[Any]:
            return [tuple(row) for row in session.execute(text(f"SELECT * FROM {table} ORDER BY {order}"))]

        before = rows("commit_outcomes", "commit_id, display"), rows("history_points", "run_number")
        runs = session.execute(text("SELECT DISTINCT scenario_id, host_class, commit_id FROM runs")).all()
        for scenario_id, host_class, commit_id in runs:
            history_repository.refresh(session, scenario_id, host_class, commit_id)
        for commit_id in {row[2] for row in runs}:
            outcome_repository.refresh(session, commit_id)
        assert (rows("commit_outcomes", "commit_id, display"), rows("history_points", "run_number")) == before


@pytest.mark.nightly
def test_a_second_project_gets_the_same_figures_and_further_numbers(seeded: Settings) -> None:
    assert seed(seeded, "--project", "again").exit_code == 0
    taken = seed(seeded)
    assert taken.exit_code == 2
    with open_context(seeded) as context, context.read_sessions() as session:
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
