# SPDX-License-Identifier: Apache-2.0
"""A service with something of everything in it, for requests made up at random; put back when one is done."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.app.application import make_app
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.settings import Settings
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.models import StepRow
from nalm_server.jobs.models import CampaignRow
from nalm_server.notify.models import NotificationRow
from nalm_server.self_test.models import TrialRow
from nalm_server_harness import Clock, Service, make_service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy.orm import Session

HOST = "bench-1"


@dataclass
class Seeded:
    """One application, what is in it, and a way to put its database back."""

    service: Service
    app: FastAPI
    known: dict[str, Any]
    restore: Callable[[], None]

    def reset(self) -> None:
        self.service.context.engine.dispose()
        self.restore()


def settings_of(home: Path, database_url: str) -> Settings:
    return Settings(
        state_dir=home,
        database_url=database_url,
        static_dir=home / "static",
        rate_api=0,
        rate_agents=0,
        rate_hooks=0,
        mail_server="127.0.0.1:1",
        mail_from="nalm@example.org",
        sign_in={"hub": {"kind": "github", "client_id": "nalm", "client_secret": "s" * 32}},
    )


def seeded(settings: Settings, keep: Callable[[], Callable[[], None]]) -> Seeded:
    """`keep` is called when all is in: it puts the database aside, and what it gives puts it back."""
    service = make_service(settings, Clock())
    add_administrator(service)
    known = add_everything(service)
    service.context.engine.dispose()
    app = make_app(service.context)
    app.state.ending = True  # a stream ends after what there is now
    return Seeded(service, app, known, keep())


def add_administrator(service: Service) -> None:
    """A person, who has what a token alone has not: a session, tokens of their own."""
    now = service.clock()
    with service.context.sessions() as session:
        account = AccountRow(name="root", administrator=True, created_at=now)
        session.add_all([account, AccountRow(name="mona", administrator=False, created_at=now)])
        session.flush()
        service.tokens["root"] = tokens.issue(session, Scope.ADMIN, "root", now, account_id=account.id)
        session.commit()


def add_everything(service: Service) -> dict[str, Any]:
    """What requests may name, by the name of the parameter or of the path's part before it."""
    service.upload(body_of(make_report(1)))
    push(service, 1)
    invitation = service.post("/agents/invitations", "root", 201, {})["token"]
    reported = {"invitation": invitation, "name": HOST, "host_class": "vm-2"}
    service.tokens["bench"] = service.request("POST", "/agent/register", None, 201, json=reported)["token"]
    service.post("/agents/invitations", "root", 201, {})
    job = service.post("/agent/lease", "bench", 200, {"host": HOST, "host_class": "vm-2"})
    push(service, 2)
    mail = {"name": "mail", "kind": "email", "recipients": ["a@example.org"]}
    number = service.post("/projects/demo/integrations", "root", 201, mail)["id"]
    schedule = {"name": "nightly", "cron": "0 3 * * *"}
    service.post("/projects/demo/schedules", "root", 201, schedule)
    add_searches(service, number)
    add_judged(service)
    return {
        "project": "demo",
        "scenario": "sfc_a",
        "sha": sha(1),
        "host": HOST,
        "account": "mona",
        "provider": "hub",
        "schedule": "nightly",
        "run_id": f"{1:032x}",
        "job_id": job["job_id"],
        "backfill_id": 1,
        "bisect_id": 1,
        "alert_id": 1,
        "experiment_id": 1,
        "trial_id": 1,
        "number": 1,
        "invitation_id": 2,
        "token_id": service.post("/projects/demo/tokens", "root", 201, {"name": "ci"})["id"],
        **dict.fromkeys(("base", "good", "first"), sha(0)),
        **dict.fromkeys(("head", "bad", "last", "commit"), sha(1)),
        "fence": job["fence"],
    }


def push(service: Service, number: int) -> None:
    body = {"ref": "refs/heads/main", "before": sha(number - 1), "after": sha(number)}
    service.hook(json.dumps(body).encode(), 202)


def add_searches(service: Service, integration: int) -> None:
    """A bisect, a backfill and a notification of `demo`."""
    now = service.clock()
    common: dict[str, Any] = {"project_id": 1, "created_at": now, "updated_at": now, "state": "running"}
    requested = {"requested_by": "x", "tries": 0, **common}
    reported = {
        "integration_id": integration,
        "kind": "message",
        "subject": "run 1",
        "tries": 0,
        "requested": 1,
    }
    with service.context.sessions() as session:
        session.add(bisect(1, **requested))
        session.add(backfill(1, **requested))
        session.add(links(1, **requested))
        session.add(NotificationRow(next_try_at=now, **reported, **common | {"state": "failed"}))
        session.commit()


def backfill(number: int, **columns: Any) -> CampaignRow:
    spec = {"first_sha": sha(0), "last_sha": sha(1), "every": 1}
    return CampaignRow(kind="backfill", number=number, active=True, spec=spec, result={}, **columns)


def links(number: int, **columns: Any) -> CampaignRow:
    spec = {"scenario": "sfc_a", "scenario_id": 1, "host_class": "vm-2", "most": 10}
    return CampaignRow(kind="link", number=number, active=True, spec=spec, result={}, **columns)


def refinement(number: int, **columns: Any) -> CampaignRow:
    spec = {"margin": 0.002, "seconds": 600}
    return CampaignRow(kind="refinement", number=number, active=True, spec=spec, result={}, **columns)


def add_remeasurement(session: Session, number: int, **columns: Any) -> None:
    """With its step."""
    spec: dict[str, Any] = {"points": [], "metrics": ["cpp"]}
    row = CampaignRow(kind="remeasurement", number=number, active=True, spec=spec, result={}, **columns)
    session.add(row)
    session.flush()
    step = {"base_sha": sha(0), "head_sha": sha(1), "scenario": "sfc_a", "state": "waiting", "detail": {}}
    session.add(StepRow(campaign_id=row.id, ordinal=0, **step))


def bisect(number: int, **columns: Any) -> CampaignRow:
    spec = {"scenario": "sfc_a", "good_sha": sha(0), "bad_sha": sha(1)}
    return CampaignRow(kind="bisect", number=number, active=True, spec=spec, result={}, **columns)


def experiment(
    number: int, kind: str, commit: str = sha(1), result: Any = None, **columns: Any
) -> CampaignRow:
    """Over, with one cell."""
    values = {
        **{"project_id": 1, "state": "done", "active": False, "requested_by": "x", "tries": 0},
        "spec": {"sha": commit, "kind": kind, "names": [], "seed": 1},
        "result": {"host_class": "vm-2", "fitted_cells": 1, "document": result},
    }
    return CampaignRow(kind="experiment", number=number, **values | columns)


def add_judged(service: Service) -> None:
    """A finding, an experiment with a cell, a control that alarmed, of `demo`."""
    now = service.clock()
    packed = zlib.compress(body_of(make_report(1)))
    of: dict[str, Any] = {"scenario": "sfc_a", "host_class": "vm-2"}
    at = {"project_id": 1, "commit_id": 2, "created_at": now, "updated_at": now}
    cell = {"name": "without nat", "subject": "sfc_a", "use": "fit", "run_id": "c" * 32, "digest": "d"}
    trial = {"key": "t", "kind": "aa", "name": "aa", "expected": "same", "outcome": "regressed"}
    move = {"stage": "nat", "metric": "cpp", "source": "pair", "kind": "regression", "ratio": 1.1}
    with service.context.sessions() as session:
        session.add(AlertRow(state="confirmed", kind="regression", source="pair", scenarios=["sfc_a"], **at))
        made = experiment(1, "features", created_at=now, updated_at=now)
        session.add(made)
        session.flush()
        session.add(AlertMoveRow(project_id=1, commit_id=2, alert_id=1, fate="alert", at=now, **move, **of))
        session.add(
            CellRow(
                campaign_id=made.id,
                host=HOST,
                host_class="vm-2",
                ratio=0.9,
                compressed=packed,
                received_at=now,
                **cell,
            )
        )
        times = {"measured_at": now, "received_at": now}
        session.add(TrialRow(project_id=1, correct=False, host=HOST, report=packed, **trial, **times, **of))
        session.commit()


def keep_file(path: Path) -> Callable[[], None]:
    """Puts a SQLite database aside."""
    kept = path.with_suffix(".kept")
    shutil.copy(path, kept)

    def restore() -> None:
        for left in path.parent.glob(f"{path.name}-*"):
            left.unlink()
        shutil.copy(kept, path)

    return restore
