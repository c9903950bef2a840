# SPDX-License-Identifier: Apache-2.0
"""Accounts: created by an administrator, entered by a one-time link, never with a default password."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.accounts import repository
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.accounts.schemas import Account, AccountChange, AccountInvitation, AccountNew
from nalm_server.auth.audit.service import record
from nalm_server.auth.sign_in import repository as sessions
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.service import digest_of, new_secret
from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.db.context import Context

LINK_LIVES = timedelta(days=3)
FIRST = "admin"
"""Name of the first administrator."""


def require(session: Session, name: str) -> AccountRow:
    row = repository.find(session, name)
    if row is None:
        raise NotFoundError(f"There is no account {name!r}: `nalm-server account list` shows them.")
    return row


def described(row: AccountRow) -> Account:
    return Account(
        name=row.name,
        administrator=row.administrator,
        disabled=row.disabled_at is not None,
        has_password=row.password_hash is not None,
        created_at=row.created_at,
        signed_in_at=row.signed_in_at,
    )


def list_accounts(session: Session) -> list[Account]:
    return [described(row) for row in repository.list_all(session)]


def add(
    session: Session, context: Context, caller: Principal, new: AccountNew, now: datetime
) -> AccountInvitation:
    if repository.find(session, new.name) is not None:
        raise ConflictError(f"There is an account {new.name.lower()!r} already: choose another name.")
    row = repository.add(
        session, AccountRow(name=new.name.lower(), administrator=new.administrator, created_at=now)
    )
    record(session, caller, "account.add", f"account {row.name}", now)
    return invite(session, context, caller, row, now)


def invite(
    session: Session, context: Context, caller: Principal, row: AccountRow, now: datetime
) -> AccountInvitation:
    """A one-time link for the account. Its secret is behind `#`, so no server's log contains it."""
    if row.disabled_at is not None:
        raise ConflictError(f"Account {row.name} is disabled: enable it first.")
    secret, expires_at = new_secret(), now + LINK_LIVES
    repository.add_link(session, row.id, digest_of(secret), expires_at)
    record(session, caller, "account.link", f"account {row.name}", now)
    return AccountInvitation(
        name=row.name, link=f"{context.settings.address}/sign-in#link={secret}", expires_at=expires_at
    )


def change(
    session: Session, caller: Principal, row: AccountRow, changes: AccountChange, now: datetime
) -> Account:
    administered = row.administrator and row.disabled_at is None
    if changes.administrator is not None and changes.administrator != row.administrator:
        row.administrator = changes.administrator
        record(session, caller, "account.change", f"account {row.name}", now, detail=f"{row.administrator=}")
    if changes.disabled is not None and changes.disabled != (row.disabled_at is not None):
        row.disabled_at = now if changes.disabled else None
        record(session, caller, "account.disable" if changes.disabled else "account.enable", row.name, now)
        if changes.disabled:
            sessions.end_all(session, row.id)
    session.flush()
    if administered and repository.count_administrators(session, who_signed_in=False) == 0:
        raise ConflictError(
            "This is the server's last administrator: make another account administrator first."
        )
    return described(row)


def set_password(session: Session, caller: Principal, row: AccountRow, hashed: str, now: datetime) -> None:
    """Ends sessions that used the old password. hashed: of passwords.hash_of, which is slow: outside of the
    transaction."""
    row.password_hash = hashed
    sessions.end_all(session, row.id, but=caller.session_id)
    record(session, caller, "account.password", f"account {row.name}", now)


def first_link(
    session: Session, context: Context, caller: Principal, now: datetime
) -> AccountInvitation | None:
    """A new link for the first administrator, until one has signed in."""
    if repository.count_administrators(session, who_signed_in=True) > 0:
        return None
    row = repository.find(session, FIRST)
    if row is None:
        return add(session, context, caller, AccountNew(name=FIRST, administrator=True), now)
    if row.disabled_at is not None or not row.administrator:
        return None
    return invite(session, context, caller, row, now)
