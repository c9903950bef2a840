# SPDX-License-Identifier: Apache-2.0
"""Each route admits or refuses each kind of caller; a private project shows nothing to others."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from nalm_server.alerts.models import AlertRow
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.models import MembershipRow
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.tokens import repository as token_rows
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.settings import Settings
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.experiments import repository as experiments
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.schedules.models import ScheduleRow
from nalm_server.db.engine import Base
from nalm_server.git.commits import repository as commits
from nalm_server.jobs.models import CampaignRow
from nalm_server.webhooks.signature import sign
from nalm_server_access import MATRIX, Row, Who
from nalm_server_harness import Clock, Service, described_paths, make_service
from nalm_server_reports import body_of, make_report, sha
from nalm_server_seeded import add_remeasurement, backfill, bisect, experiment, links, refinement
from sqlalchemy import func, select
from sqlalchemy.orm import Session

ROLES = ("reader", "developer", "maintainer", "administrator")
KNOWN = ("anonymous", *ROLES, "other", "agent", "upload", "read", "measure", "maintain")
CALLERS = (*KNOWN, "expired", "revoked")
GETS_IN: dict[Who, set[str]] = {
    Who.ANYONE: {*KNOWN},
    Who.LIST: {*KNOWN},
    Who.READER: {*ROLES, "upload", "read", "measure", "maintain"},
    Who.DEVELOPER: {*ROLES[1:], "measure", "maintain"},
    Who.MAINTAINER: {*ROLES[2:], "maintain"},
    Who.ADMINISTRATOR: {"administrator"},
    Who.AGENT: {"agent"},
    Who.UPLOADER: {*ROLES[1:], "upload", "measure", "maintain"},
    Who.KNOWN: {*KNOWN} - {"anonymous", "agent"},
}
LADDERS = (ROLES, ("read", "measure", "maintain"))
"""Of roles, and of scopes of a project's tokens: each may do what those before it may."""
REFUSED = (401, 403, 404)


@dataclass(frozen=True)
class Stage:
    """A private project `quiet` with a commit, a job and a run, and a token of each kind of caller."""

    service: Service
    job: int
    run: str

    def ask(self, route: str, row: Row, caller: str) -> Response:
        path = row.path.format(job=self.job, run=self.run)
        headers = {} if caller == "anonymous" else {"Authorization": f"Bearer {self.service.tokens[caller]}"}
        given: dict[str, Any] = {"json": row.body} if row.body is not None else {}
        if route == "POST /reports":
            given = {"content": body_of(make_report(1, project="quiet"))}
        method = route.partition(" ")[0]
        return self.service.client.request(
            method, f"/api/v1{path}", headers=headers, params=row.params, **given
        )


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    home = tmp_path_factory.mktemp("matrix")
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), home / "nalm.db")
        yield from staged(home, f"sqlite:///{home / 'nalm.db'}")
        return
    databases = request.getfixturevalue("databases")
    name, url = databases.create(request.getfixturevalue("postgres_template"))
    yield from staged(home, url)
    databases.drop(name)


def staged(home: Path, database_url: str) -> Iterator[Stage]:
    settings = Settings(state_dir=home, database_url=database_url, static_dir=home / "static")
    service = make_service(settings, Clock())
    made = service.post("/projects", "admin", 201, {"name": "quiet", "repository": "/srv/quiet.git"})
    service.tokens["upload"] = made["upload_token"]
    quiet = replace(service, secret=made["webhook_secret"])
    push = json.dumps({"ref": "refs/heads/main", "before": sha(1), "after": sha(2)}).encode()
    quiet.hook(push, 202, **{"X-Hub-Signature-256": sign(made["webhook_secret"], push)})
    service.upload(body_of(make_report(1, project="quiet")))
    issue_tokens(service)
    job = service.request("GET", "/jobs", "administrator")[0]["id"]
    add_searches(service, job)
    yield Stage(service, job, f"{1:032x}")
    service.context.engine.dispose()


def add_searches(service: Service, number: int) -> None:
    """A bisect, a backfill and an alert of `quiet` with the job's number, and a schedule `weekly`."""
    now = service.clock()
    common: dict[str, Any] = {"state": "running", "requested_by": "x", "tries": 0}
    common |= {"created_at": now, "updated_at": now}
    with service.context.sessions() as session:
        quiet = projects.find(session, "quiet")
        assert quiet is not None
        session.add(backfill(number, project_id=quiet.id, **common))
        session.add(links(number, project_id=quiet.id, **common))
        session.add(refinement(number, project_id=quiet.id, **common))
        add_remeasurement(session, number, project_id=quiet.id, **common)
        session.add(bisect(number, project_id=quiet.id, **common))
        tried = add_experiment(session, quiet.id, number, now)
        assert tried.number == number
        times: dict[str, Any] = {"cron": "0 4 * * sun", "next_at": now, "created_at": now}
        commit = commits.find(session, quiet.id, sha(1))
        assert commit is not None
        alert: dict[str, Any] = {"id": number, "state": "new", "kind": "regression", "source": "pair"}
        alert |= {"scenarios": ["sfc_a"], "created_at": now, "updated_at": now}
        session.add(AlertRow(project_id=quiet.id, commit_id=commit.id, **alert))
        session.add(ScheduleRow(project_id=quiet.id, name="weekly", against="parent", enabled=True, **times))
        session.flush()
        number_from(session, number + 1, CellRow, AlertRow)
        session.commit()


def number_from(session: Session, number: int, *tables: type[Base]) -> None:
    """PostgreSQL does not count rows that came with a number: what a route makes would have it again."""
    if session.get_bind().dialect.name == "postgresql":
        for table in tables:
            sequence = func.pg_get_serial_sequence(table.__tablename__, "id")
            session.execute(select(func.setval(sequence, number, False)))


def add_experiment(session: Session, project_id: int, number: int, now: datetime) -> CampaignRow:
    """With one cell, both of the job's number."""
    times = {"created_at": now, "updated_at": now}
    row = campaigns.add(
        session, experiment(number, "models", project_id=project_id, state="running", active=True, **times)
    )
    named = {"name": "c", "subject": "s", "use": "variant", "run_id": "a" * 32, "digest": "d", "host": "h"}
    cell = CellRow(id=number, campaign_id=row.id, host_class="c", compressed=zlib.compress(b"{}"), **named)
    cell.received_at = now
    experiments.add_cell(session, cell)
    return row


def issue_tokens(service: Service) -> None:
    """Tokens of accounts with a role in `quiet`, of an account with one elsewhere, and of the project."""
    now = service.clock()
    with service.context.sessions() as session:
        by_name = {
            one["name"]: number
            for number, one in enumerate(service.request("GET", "/projects", "admin"), start=1)
        }
        for name in (*ROLES, "other"):
            account = AccountRow(name=name, administrator=name == "administrator", created_at=now)
            session.add(account)
            session.flush()
            if name != "administrator":
                project = by_name["demo" if name == "other" else "quiet"]
                role = "maintainer" if name == "other" else name
                session.add(MembershipRow(account_id=account.id, project_id=project, role=role, since=now))
            service.tokens[name] = tokens.issue(session, Scope.ADMIN, name, now, account_id=account.id)
        quiet = by_name["quiet"]
        for scope in (Scope.READ, Scope.MEASURE, Scope.MAINTAIN):
            service.tokens[scope] = tokens.issue(session, scope, scope, now, quiet)
        service.tokens["expired"] = tokens.issue(
            session, Scope.ADMIN, "x", now, expires_at=now - timedelta(seconds=1)
        )
        service.tokens["revoked"] = tokens.issue(session, Scope.ADMIN, "x", now)
        row = token_rows.find(session, tokens.digest_of(service.tokens["revoked"]))
        assert row is not None
        token_rows.revoke(session, row.id, now)
        session.commit()


def routes() -> set[str]:
    paths = described_paths()
    return {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, operations in paths.items()
        for method in operations
    }


def test_every_route_is_in_the_matrix() -> None:
    """A route that nobody entered may be open to everybody."""
    assert routes() == set(MATRIX)


@pytest.mark.parametrize("route", [route for route, row in MATRIX.items() if row.who is not Who.OTHERWISE])
def test_who_gets_in(stage: Stage, route: str) -> None:
    """The most that are refused, and the least that get in. Of tokens that were valid once, each route has
    one of the two kinds."""
    former = ("expired", "revoked")[list(MATRIX).index(route) % 2]
    implied = implied_by_others(MATRIX[route].who)
    gets_in(stage, route, [caller for caller in (*KNOWN, former) if caller not in implied])


@pytest.mark.nightly
def test_every_caller_of_every_route(stage: Stage) -> None:
    """Those that others imply, too; they take most of the time."""
    for route, row in MATRIX.items():
        if row.who is not Who.OTHERWISE:
            gets_in(stage, route, CALLERS)


def implied_by_others(who: Who) -> set[str]:
    """Roles and scopes that get in and are above others that do, or that are refused and below others."""
    implied: set[str] = set()
    for ladder in LADDERS:
        implied.update([one for one in ladder if one in GETS_IN[who]][1:])
        implied.update([one for one in ladder if one not in GETS_IN[who]][:-1])
    return implied


def gets_in(stage: Stage, route: str, callers: Iterable[str]) -> None:
    row = MATRIX[route]
    for caller in callers:
        answer = stage.ask(route, row, caller)
        got_in = answer.status_code not in REFUSED
        if caller in ("expired", "revoked"):
            assert answer.status_code == 401 or row.who is Who.ANYONE, (route, caller)
        else:
            shown = (route, caller, answer.status_code, answer.text)
            assert got_in == (caller in GETS_IN[row.who]), shown
        assert answer.status_code < 500, (route, caller)


@pytest.mark.parametrize("route", [route for route, row in MATRIX.items() if row.who is Who.READER])
def test_a_private_project_reads_like_none(stage: Stage, route: str) -> None:
    """Word for word what is said of one that is not there."""
    row = MATRIX[route]
    nothing = replace(row, path=row.path.replace("quiet", "nowhere"))
    nowhere = replace(stage, job=2**30, run="f" * 32)
    for caller in ("anonymous", "other", "agent"):
        private, absent = stage.ask(route, row, caller), nowhere.ask(route, nothing, caller)
        assert (private.status_code, absent.status_code) == (404, 404), caller
        said = [
            one.json()["error"]["message"].replace(str(2**30), str(stage.job)).replace("f" * 32, stage.run)
            for one in (private, absent)
        ]
        assert said[0] == said[1], caller


@pytest.mark.parametrize(("caller", "seen"), [("anonymous", 0), ("other", 0), ("reader", 1), ("read", 1)])
def test_lists_show_what_the_caller_may_read(stage: Stage, caller: str, seen: int) -> None:
    for route, field in (("GET /projects", "name"), ("GET /jobs", "project")):
        listed = [one[field] for one in stage.ask(route, MATRIX[route], caller).json()]
        assert ("quiet" in listed) == bool(seen), route
