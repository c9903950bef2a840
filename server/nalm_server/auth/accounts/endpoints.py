# SPDX-License-Identifier: Apache-2.0
"""GET and POST /accounts, PATCH /accounts/{account}, POST /accounts/{account}/link."""

from __future__ import annotations

from fastapi import APIRouter

from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.accounts import service
from nalm_server.auth.accounts.schemas import (
    Account,
    AccountChange,
    AccountInvitation,
    AccountName,
    AccountNew,
)
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.errors import documented

router = APIRouter(prefix="/accounts", tags=["accounts"])


@router.get("", responses=documented())
def list_accounts(session: ReadDb, caller: Caller) -> list[Account]:
    """All accounts, by name."""
    require_administrator(caller)
    return service.list_accounts(session)


@router.post("", status_code=201, responses=documented(409, 413))
def add_account(new: AccountNew, session: Db, context: Ctx, now: Now, caller: Caller) -> AccountInvitation:
    """Adds an account. The link in the answer signs it in once, and is never shown again."""
    require_administrator(caller)
    return service.add(session, context, caller, new, now)


@router.patch("/{account}", responses=documented(404, 409, 413))
def change_account(
    account: AccountName, changes: AccountChange, session: Db, now: Now, caller: Caller
) -> Account:
    """Makes it an administrator or not, disables or enables it. Disabled: signed out everywhere, at once."""
    require_administrator(caller)
    return service.change(session, caller, service.require(session, account), changes, now)


@router.post("/{account}/link", status_code=201, responses=documented(404, 409, 413))
def link_account(
    account: AccountName, session: Db, context: Ctx, now: Now, caller: Caller
) -> AccountInvitation:
    """A new one-time link, for one who forgot the password; the one before it is worthless."""
    require_administrator(caller)
    return service.invite(session, context, caller, service.require(session, account), now)
