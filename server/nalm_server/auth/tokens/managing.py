# SPDX-License-Identifier: Apache-2.0
"""Tokens of accounts and of projects."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_administrator, require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens import repository, service
from nalm_server.auth.tokens.models import TokenRow
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.schemas import OwnTokenNew, ProjectTokenNew, Token, TokenCreated
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ForbiddenError, InvalidError, NotFoundError, UnauthorizedError
from nalm_server.base.settings import Settings


def _account_of(caller: Principal) -> int:
    """A token cannot make tokens: a stolen one must not outlive its revocation."""
    if caller.account_id is None or caller.session_id is None:
        if caller.anonymous:
            raise UnauthorizedError("This needs a sign-in.")
        raise ForbiddenError("Only an account itself, signed in, makes and revokes its own tokens.")
    return caller.account_id


def own(session: Session, caller: Principal) -> list[Token]:
    return repository.described(session, TokenRow.account_id == _account_of(caller))


def of_project(session: Session, project: ProjectRow) -> list[Token]:
    return repository.described(session, TokenRow.project_id == project.id)


def make_own(
    session: Session, settings: Settings, caller: Principal, new: OwnTokenNew, now: datetime
) -> TokenCreated:
    account_id = _account_of(caller)
    if new.scope is Scope.ADMIN:
        require_administrator(caller)
        if new.project is not None:
            raise InvalidError("Scope admin is for the whole server: leave the project out.")
    project = require_project(session, caller, new.project, Role.READER) if new.project else None
    row, token = _make(
        session, settings, new, now, project_id=project.id if project else None, account_id=account_id
    )
    return _created(session, caller, row, token, now)


def make_for_project(
    session: Session,
    settings: Settings,
    caller: Principal,
    project: ProjectRow,
    new: ProjectTokenNew,
    *,
    now: datetime,
) -> TokenCreated:
    """A project's token has no owner: it stays when its maker leaves, so its scope is at most measure."""
    row, token = _make(session, settings, new, now, project_id=project.id, account_id=None)
    return _created(session, caller, row, token, now)


def _make(
    session: Session,
    settings: Settings,
    new: OwnTokenNew | ProjectTokenNew,
    now: datetime,
    *,
    project_id: int | None,
    account_id: int | None,
) -> tuple[TokenRow, str]:
    if new.days > settings.token_days:
        raise InvalidError(f"A token lives for {settings.token_days} days at most on this server.")
    token = service.issue(
        session,
        new.scope,
        new.name,
        now,
        project_id,
        account_id=account_id,
        expires_at=now + timedelta(days=new.days),
    )
    row = repository.find(session, service.digest_of(token))
    assert row is not None
    return row, token


def _created(session: Session, caller: Principal, row: TokenRow, token: str, now: datetime) -> TokenCreated:
    record(session, caller, "token.add", f"token {row.id}", now, project_id=row.project_id, detail=row.scope)
    assert row.expires_at is not None
    return TokenCreated(id=row.id, token=token, expires_at=row.expires_at)


def revoke_own(session: Session, caller: Principal, token_id: int, now: datetime) -> None:
    account_id = _account_of(caller)
    row = repository.get(session, token_id)
    _revoke(session, caller, row if row is not None and row.account_id == account_id else None, token_id, now)


def revoke_of_project(
    session: Session, caller: Principal, project: ProjectRow, token_id: int, now: datetime
) -> None:
    row = repository.get(session, token_id)
    _revoke(session, caller, row if row is not None and row.project_id == project.id else None, token_id, now)


def _revoke(session: Session, caller: Principal, row: TokenRow | None, token_id: int, now: datetime) -> None:
    if row is None:
        raise NotFoundError(f"There is no token {token_id} here.")
    if repository.revoke(session, row.id, now):
        record(session, caller, "token.revoke", f"token {row.id}", now, project_id=row.project_id)
