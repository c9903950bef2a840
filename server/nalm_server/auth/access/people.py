# SPDX-License-Identifier: Apache-2.0
"""Members of a project."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import repository
from nalm_server.auth.access.models import MembershipRow
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.schemas import Member
from nalm_server.auth.accounts import repository as accounts
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import NotFoundError


def list_people(session: Session, project: ProjectRow) -> list[Member]:
    return [
        Member(account=account.name, role=Role(held.role), since=held.since)
        for account, held in repository.people(session, project.id)
    ]


def set_role(
    session: Session, caller: Principal, project: ProjectRow, name: str, *, role: Role, now: datetime
) -> Member:
    """Adds the account to the project, or changes its role there."""
    account = accounts.find(session, name)
    if account is None:
        raise NotFoundError(f"There is no account {name!r}: an administrator adds it.")
    held = repository.find(session, account.id, project.id)
    if held is None:
        held = MembershipRow(account_id=account.id, project_id=project.id, role=role, since=now)
        repository.add(session, held)
    held.role = role
    subject = f"account {account.name}"
    record(session, caller, "member.set", subject, now, project_id=project.id, detail=role)
    return Member(account=account.name, role=role, since=held.since)


def remove(session: Session, caller: Principal, project: ProjectRow, name: str, now: datetime) -> None:
    account = accounts.find(session, name)
    held = repository.find(session, account.id, project.id) if account is not None else None
    if held is None:
        raise NotFoundError(f"{name!r} has no role in this project.")
    repository.remove(session, held)
    record(session, caller, "member.remove", f"account {name.lower()}", now, project_id=project.id)
