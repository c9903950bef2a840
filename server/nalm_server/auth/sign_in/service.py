# SPDX-License-Identifier: Apache-2.0
"""Signs in and out. A session is a row: without it, its cookie is invalid."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from nalm_server.auth.access import repository as access
from nalm_server.auth.accounts import passwords
from nalm_server.auth.accounts import repository as accounts
from nalm_server.auth.accounts import service as account_service
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.audit.service import record
from nalm_server.auth.sign_in import devices, repository
from nalm_server.auth.sign_in.models import SessionRow
from nalm_server.auth.sign_in.schemas import ByLink, ByPassword, PasswordChange, ProjectRole, SignedIn
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.service import digest_of, new_secret
from nalm_server.base.errors import ForbiddenError, UnauthorizedError
from nalm_server.db.context import Context
from nalm_server.db.sign_in_attempts import Attempt

SEEN_NOTED_EVERY = timedelta(minutes=10)
WRONG = "Name or password is wrong."
"""The same for an unknown name."""


@dataclass(frozen=True)
class NewSession:
    """`cookie` is sent once and not stored. `device` identifies the browser later."""

    cookie: str
    device: str
    caller: Principal


def sign_in(
    context: Context, given: ByPassword | ByLink, address: str, device_cookie: str | None = None
) -> NewSession:
    """Raises TooManyError, UnauthorizedError, BusyError. Hashes outside of transactions, because it is
    slow."""
    if isinstance(given, ByLink):
        return _by_link(context, given.link, address)
    name = given.name.lower()
    attempt = Attempt(name, address, devices.number_of(context.box, device_cookie, name))
    context.attempts.require(attempt)
    with context.read_sessions() as session:
        row = accounts.find(session, name)
        stored = row.password_hash if row is not None and row.disabled_at is None else None
    if not _verified(context, attempt, stored, given.password) or stored is None:
        with context.sessions() as session:
            nobody = Principal(None, None, name)
            record(session, nobody, "session.refuse", f"account {name}", context.clock(), detail=address)
            session.commit()
        raise UnauthorizedError(WRONG)
    renewed = passwords.hash_of(given.password) if passwords.is_outdated(stored) else stored
    with context.sessions() as session:
        account = account_service.require(session, name)
        if account.disabled_at is not None or account.password_hash != stored:
            raise UnauthorizedError(WRONG)
        account.password_hash = renewed
        made = begin(session, context, account, context.clock(), how="password")
        session.commit()
    return made


def _verified(context: Context, attempt: Attempt, stored: str | None, password: str) -> bool:
    """Checks the limit again within the turn: many concurrent attempts may have waited for it."""
    with passwords.turn():
        context.attempts.require(attempt)
        if passwords.verify(stored, password):
            return True
        context.attempts.count_refused(attempt)
    return False


def _by_link(context: Context, link: str, address: str) -> NewSession:
    now = context.clock()
    with context.sessions() as session:
        taken = accounts.take_link(session, digest_of(link))
        account = accounts.get(session, taken[0]) if taken is not None and taken[1] > now else None
        if account is None or account.disabled_at is not None:
            session.commit()
            context.attempts.count_refused_link(address)
            raise UnauthorizedError("This link was used or has expired: request another one.")
        made = begin(session, context, account, now, how="link")
        session.commit()
    return made


def begin(session: Session, context: Context, account: AccountRow, now: datetime, *, how: str) -> NewSession:
    """Starts a session of the account; how: password, link or the forge's name."""
    cookie = new_secret()
    row = repository.add(
        session,
        SessionRow(
            account_id=account.id,
            digest=digest_of(cookie),
            by_link=how == "link",
            created_at=now,
            seen_at=now,
            expires_at=now + timedelta(hours=context.settings.session_hours),
        ),
    )
    repository.end_expired(session, account.id, now)
    account.signed_in_at = now
    caller = _principal(row, account)
    record(session, caller, "session.begin", f"account {account.name}", now, detail=how)
    return NewSession(cookie, devices.issue(context.box, account.name), caller)


def _principal(row: SessionRow, account: AccountRow) -> Principal:
    return Principal(
        None,
        None,
        account.name,
        account_id=account.id,
        administrator=account.administrator,
        session_id=row.id,
    )


def by_cookie(context: Context, cookie: str) -> Principal | None:
    """The holder of the cookie; None: no such session, or an ended or idle one."""
    now, settings = context.clock(), context.settings
    with context.read_sessions() as session:
        found = repository.find(session, digest_of(cookie))
    if found is None:
        return None
    row, account = found
    idle = now - row.seen_at
    if row.expires_at <= now or idle > timedelta(hours=settings.session_idle_hours) or account.disabled_at:
        return None
    if idle >= SEEN_NOTED_EVERY:
        with (
            suppress(OperationalError),
            context.sessions() as session,
        ):  # a busy database loses only this
            repository.seen(session, row.id, now)
            session.commit()
    return _principal(row, account)


def sign_out(session: Session, caller: Principal, now: datetime) -> None:
    if caller.session_id is not None:
        repository.end(session, caller.session_id)
        record(session, caller, "session.end", f"account {caller.name}", now)


def who(session: Session, caller: Principal, csrf: str | None) -> SignedIn:
    roles = access.projects_of(session, caller.account_id) if caller.account_id is not None else []
    row = repository.get(session, caller.session_id) if caller.session_id is not None else None
    return SignedIn(
        name=None if caller.anonymous else caller.name,
        administrator=caller.administrator,
        roles=[ProjectRole(project=name, role=role) for name, role in roles],
        by_link=row is not None and row.by_link,
        new_server=caller.anonymous and not accounts.anyone_signed_in(session),
        csrf=csrf,
    )


def change_password(context: Context, caller: Principal, change: PasswordChange) -> None:
    if caller.session_id is None or caller.account_id is None:
        raise UnauthorizedError("This needs a sign-in; a token cannot set a password.")
    with context.read_sessions() as session:
        account, row = accounts.get(session, caller.account_id), repository.get(session, caller.session_id)
        stored = account.password_hash if account is not None else None
    free = stored is None or (row is not None and row.by_link)
    # Signed-in callers only: counted by session, so that strangers' attempts do not count.
    attempt = Attempt(caller.name, "", f"session {caller.session_id}")
    if not free and not _verified(context, attempt, stored, change.old or ""):
        raise ForbiddenError("The old password is wrong.")
    hashed = passwords.hash_of(change.new)
    with context.sessions() as session:
        row = repository.get(session, caller.session_id)
        if row is not None:
            row.by_link = False
        changed = account_service.require(session, caller.name)
        account_service.set_password(session, caller, changed, hashed, context.clock())
        session.commit()
