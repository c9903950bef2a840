# SPDX-License-Identifier: Apache-2.0
"""Changes a project's name, repository or default branch, which only administrators may do.

The repository decides whose code the bench hosts run, and who receives the read token.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import SYSTEM, Principal
from nalm_server.base.errors import ConflictError
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server.projects import repository
from nalm_server.projects.schemas import ProjectSettings

FIELDS = ("name", "repository", "default_branch")


def move(
    session: Session, caller: Principal, row: ProjectRow, settings: ProjectSettings, now: datetime
) -> None:
    """Changes the given fields that differ, each with an entry in the audit log."""
    given = {field: getattr(settings, field) for field in FIELDS}
    changed = {
        field: value for field, value in given.items() if value is not None and value != getattr(row, field)
    }
    if not changed:
        return
    require_administrator(caller)
    if "name" in changed:
        _require_free(session, row, changed["name"])
    if "repository" in changed:
        _forget_access(session, caller, row)
    for field, value in changed.items():
        detail = f"{field.replace('_', ' ')} from {getattr(row, field)} to {value}"
        record(
            session, caller, "project.change", f"project {row.name}", now, project_id=row.id, detail=detail
        )
        setattr(row, field, value)
    session.flush()


def _require_free(session: Session, row: ProjectRow, name: str) -> None:
    """Reports name their project: one of a running job must still find it."""
    if project_repository.find(session, name) is not None:
        raise ConflictError(f"There is a project {name!r} already: choose another name.")
    held = repository.held_jobs(session, row.id)
    if held:
        raise ConflictError(
            f"Hosts have {held} of its jobs, whose reports carry its name: rename it after they end."
        )


def _forget_access(session: Session, caller: Principal, row: ProjectRow) -> None:
    watch = branch_filters.require(session, row.id)
    watch.local = caller is SYSTEM
    watch.read_credential = None
