# SPDX-License-Identifier: Apache-2.0
"""Accounts as administrators see and change them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from nalm_server.auth.accounts.passwords import LONGEST, SHORTEST
from nalm_server.base.schemas import NAME, Flag, Schema

AccountName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
NewPassword = Annotated[
    str, StringConstraints(min_length=SHORTEST, max_length=LONGEST, pattern=r"^[^\x00-\x1f\x7f]+$")
]
"""Only the length is checked, not the kinds of characters."""


class Account(Schema):
    name: str
    administrator: bool
    disabled: bool
    has_password: bool
    created_at: datetime
    signed_in_at: datetime | None


class AccountNew(Schema):
    name: AccountName
    administrator: Flag = False


class AccountChange(Schema):
    """Fields that are left out keep their values."""

    administrator: Flag | None = None
    disabled: Flag | None = None


class AccountInvitation(Schema):
    """Shown once."""

    name: str
    link: str
    """Signs in once and lets the account set a password."""
    expires_at: datetime
