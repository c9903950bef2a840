# SPDX-License-Identifier: Apache-2.0
"""GET and POST /accounts, PATCH /accounts/{account}, POST /accounts/{account}/link."""

from __future__ import annotations

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
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented

router = api_router("accounts", "/accounts")


@router.get("", responses=documented())
def list_accounts(session: ReadDb, caller: Caller) -> list[Account]:
    """Lists all accounts, by name."""
    require_administrator(caller)
    return service.list_accounts(session)


@router.post("", status_code=201, responses=documented(409, 413))
def add_account(new: AccountNew, session: Db, context: Ctx, now: Now, caller: Caller) -> AccountInvitation:
    """Adds an account. The link in the answer signs it in once and is not shown again."""
    require_administrator(caller)
    return service.add(session, context, caller, new, now)


@router.patch("/{account}", responses=documented(404, 409, 413))
def change_account(
    account: AccountName, changes: AccountChange, session: Db, now: Now, caller: Caller
) -> Account:
    """Makes an account an administrator or not, disables or enables it. Disabling ends its sessions."""
    require_administrator(caller)
    return service.change(session, caller, service.require(session, account), changes, now)


@router.post("/{account}/link", status_code=201, responses=documented(404, 409, 413))
def link_account(
    account: AccountName, session: Db, context: Ctx, now: Now, caller: Caller
) -> AccountInvitation:
    """Makes a new one-time link, for a lost password. The link before it becomes invalid."""
    require_administrator(caller)
    return service.invite(session, context, caller, service.require(session, account), now)
