# SPDX-License-Identifier: Apache-2.0
"""Stores and lists trials that others made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import NO_PROJECT, may_upload, require_project, require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ForbiddenError, NotFoundError
from nalm_server.self_test import repository
from nalm_server.self_test.schemas import JudgedTrial, TrialKind, TrialNew, TrialsTaken


def take(
    session: Session, caller: Principal, project: str, trials: Sequence[TrialNew], now: datetime
) -> TrialsTaken:
    """For those who may upload reports of the project. A stored trial changes nothing."""
    project_id = _required(session, caller, project)
    new = sum(
        repository.add_once(
            session, {**one.model_dump(), "project_id": project_id, "received_at": now, "kind": str(one.kind)}
        )
        for one in trials
    )
    return TrialsTaken(new=new, known=len(trials) - new)


def _required(session: Session, caller: Principal, project: str) -> int:
    found = projects.find(session, project)
    if found is None:
        raise NotFoundError(NO_PROJECT)
    if not may_upload(session, caller, found.id):
        require_role(session, caller, found.id, Role.READER)
        raise ForbiddenError(
            "Trials of this project need the role developer, or one of its tokens of scope upload."
        )
    return found.id


def listed(
    session: Session,
    caller: Principal,
    project: str,
    *,
    kinds: Sequence[TrialKind] | None,
    limit: int,
    below: int | None,
) -> list[JudgedTrial]:
    """Trials, newest first."""
    found = require_project(session, caller, project, Role.READER)
    own = {name for name in JudgedTrial.model_fields if name != "has_report"}
    return [
        JudgedTrial(has_report=kept, **{name: getattr(row, name) for name in own})
        for row, kept in repository.page(session, found.id, kinds, limit, below)
    ]


def report(session: Session, caller: Principal, project: str, trial_id: int) -> bytes:
    """The run report of a control with a false alarm."""
    found = require_project(session, caller, project, Role.READER)
    row = repository.find(session, found.id, trial_id)
    kept = repository.report(session, row.id) if row is not None else None
    if not kept:
        raise NotFoundError(f"The project has no trial {trial_id} whose report was kept.")
    return kept.json()
