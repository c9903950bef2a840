# SPDX-License-Identifier: Apache-2.0
"""SQL of members of projects."""

from __future__ import annotations

from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import Session

from nalm_server.auth.access.models import MembershipRow
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import CEILING


def find(session: Session, account_id: int, project_id: int) -> MembershipRow | None:
    return session.scalars(
        select(MembershipRow).where(
            MembershipRow.account_id == account_id, MembershipRow.project_id == project_id
        )
    ).one_or_none()


def role(session: Session, account_id: int, project_id: int) -> Role | None:
    row = find(session, account_id, project_id)
    return Role(row.role) if row else None


def readable(caller: Principal) -> ColumnElement[bool]:
    """A condition on projects, for lists: those that the caller may read.

    Equals `service.role_in`, as tests check.
    """
    public = ProjectRow.public.is_(true())
    if caller.anonymous or caller.agent_id is not None or caller.scope not in (None, *CEILING):
        return public
    own: ColumnElement[bool] = true()
    if caller.account_id is not None and not caller.administrator:
        own = ProjectRow.id.in_(
            select(MembershipRow.project_id).where(MembershipRow.account_id == caller.account_id)
        )
    if caller.project_id is not None:
        own = own & (ProjectRow.id == caller.project_id)
    return own | public


def people(session: Session, project_id: int) -> list[tuple[AccountRow, MembershipRow]]:
    """By name."""
    found = session.execute(
        select(AccountRow, MembershipRow)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.project_id == project_id)
        .order_by(AccountRow.name)
    )
    return [(account, membership) for account, membership in found]


def projects_of(session: Session, account_id: int) -> list[tuple[str, Role]]:
    """The account's projects by name, each with its role."""
    found = session.execute(
        select(ProjectRow.name, MembershipRow.role)
        .join(MembershipRow, MembershipRow.project_id == ProjectRow.id)
        .where(MembershipRow.account_id == account_id)
        .order_by(ProjectRow.name)
    )
    return [(name, Role(held)) for name, held in found]


def add(session: Session, row: MembershipRow) -> None:
    session.add(row)
    session.flush()


def remove(session: Session, row: MembershipRow) -> None:
    session.delete(row)
    session.flush()
