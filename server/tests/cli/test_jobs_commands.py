# SPDX-License-Identifier: Apache-2.0
"""The commands about jobs: a mistake is one line and an exit code, never a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_server.cli.main import app
from nalm_server_git import Repo, make_repo
from nalm_server_reports import body_of, make_report
from typer.testing import CliRunner, Result

REFUSED, COULD_NOT = 2, 4


def run(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"NALM_STATE_DIR": str(home / "state")})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory with the project `demo` of three commits."""
    made = tmp_path_factory.mktemp("commands")
    repo: Repo = make_repo(made / "forge")
    for name in ("first", "second", "third"):
        repo.commit(name)
    repo.push()
    repo.git("tag", "v1", "HEAD~2")
    repo.push("v1")
    done = run(made, "project", "add", "demo", "--repository", str(repo.path))
    assert done.exit_code == 0, done.output
    return made


@pytest.mark.parametrize(
    ("command", "code", "wrong"),
    [
        ("backfill demo --scenario=bad/name v1 main", REFUSED, "scenarios.0"),
        ("backfill demo v1..x~2 main", REFUSED, "first"),
        ("backfill demo v1 nowhere", COULD_NOT, "no branch, tag or commit 'nowhere'"),
        ("backfill nobody v1 main", COULD_NOT, "no such project"),
        ("backfill demo main main", COULD_NOT, "nothing between them"),
        ("alert show 7", COULD_NOT, "There is no alert 7"),
        ("alert state 7 new --why x", REFUSED, "state"),
        ("alert mute demo a/b --why x", REFUSED, "scenario"),
        ("alert list nobody", COULD_NOT, "no such project"),
        ("bisect demo v1 ma:in --scenario sfc_a", REFUSED, "bad"),
        ("bisect demo v1 main --scenario sfc/a", REFUSED, "scenario"),
        ("bisect demo v1 main --scenario sfc_a --metric a/b", REFUSED, "metric"),
        ("bisect nobody v1 main --scenario sfc_a", COULD_NOT, "no such project"),
        ("bisect demo v1 gone --scenario sfc_a", COULD_NOT, "'gone'"),
        ("job list --project nobody", COULD_NOT, "no such project"),
        ("job request nobody main", COULD_NOT, "no such project"),
        ("job request demo main --kind rate --scenario a/b", REFUSED, "scenarios.0"),
        ("job show 4711", COULD_NOT, "There is no job 4711."),
        ("job cancel 4711", COULD_NOT, "There is no job 4711."),
        ("job retry 4711", COULD_NOT, "There is no job 4711."),
        ("job approve 4711", COULD_NOT, "There is no job 4711."),
        ("job show 99999999999999999999", REFUSED, "2147483647"),
        ("refinements nobody", COULD_NOT, "no such project"),
        ("refinements demo --margin 0.01", REFUSED, "margin: Input should be greater"),
        ("refinements demo --minutes-per-day 1441", REFUSED, "1440"),
        ("schedule add demo nightly --cron 25", REFUSED, "cron: five fields are needed"),
        ("schedule add demo bad/name --cron @daily", REFUSED, "name"),
        ("schedule list nobody", COULD_NOT, "no such project"),
        ("schedule remove demo nightly", COULD_NOT, "no schedule 'nightly'"),
    ],
)
def test_a_mistake_is_reported(home: Path, command: str, code: int, wrong: str) -> None:
    done = run(home, *command.split())
    assert done.exit_code == code, done.output
    assert wrong in done.stderr
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_what_works_says_so(home: Path) -> None:
    assert "backfill 1 is planning" in run(home, "backfill", "demo", "v1", "main").stdout
    of_rates = ("--scenario", "s:rate", "--metric", "latency_p99_ns")
    assert "bisect 1 is planning" in run(home, "bisect", "demo", "v1", "main", *of_rates).stdout
    requested = run(home, "job", "request", "demo", "main", "--base", "v1", "--kind", "rate")
    assert "job 1 of demo: queued" in requested.stdout and "requested by" in requested.stdout
    assert run(home, "job", "list").exit_code == 0
    added = run(home, "schedule", "add", "demo", "weekly", "--cron", "0 3 * * sun", "--against", "release")
    assert "weekly  0 3 * * sun  against release  next " in added.stdout
    assert run(home, "schedule", "list", "demo").stdout == added.stdout
    assert run(home, "schedule", "remove", "demo", "weekly").exit_code == 0
    rates = ("--cron", "0 1 * * *", "--kind", "rate", "--scenario", "sfc_a")
    assert "sfc_a:rate" in run(home, "schedule", "add", "demo", "rates", *rates).stdout


def test_a_path_without_a_repository_gives_a_warning(tmp_path: Path) -> None:
    """With git's cause, not with the advice that git adds to every cause."""
    done = run(tmp_path, "project", "add", "demo", "--repository", str(tmp_path / "no.git"))
    assert done.exit_code == 0, "the server's user may see another directory"
    warned = " ".join(done.output.split())
    assert "no.git' does not appear to be a git repository fatal: Could not read" in warned
    assert "Please make sure" not in warned
    repo = make_repo(tmp_path / "forge")
    repo.commit("first")
    repo.push()
    other = ("project", "add", "other", "--repository", str(repo.path))
    assert "has no branch lts" in " ".join(run(tmp_path, *other, "--branch", "lts").output.split())


def test_reports_are_imported_into_the_named_project(home: Path) -> None:
    """Whatever nalm.toml called it."""
    saved = home / "run.json"
    saved.write_bytes(body_of(make_report(1, project="other-name")))
    command = ("import", "demo", str(saved), "--format", "nalm-report")
    done = run(home, *command)
    assert done.exit_code == 0, done.output
    assert "known" in run(home, *command).output
    assert run(home, "import", "nobody", *command[2:]).exit_code == COULD_NOT
    (home / "other.json").write_text("{}")
    refused = run(home, "import", "demo", str(home / "other.json"), *command[3:])
    assert refused.exit_code == COULD_NOT
    assert "other.json: The body is no valid run report. $" in " ".join(refused.output.split())
