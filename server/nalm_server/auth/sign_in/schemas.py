# SPDX-License-Identifier: Apache-2.0
"""Who signs in and who is signed in."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from nalm_server.auth.access.roles import Role
from nalm_server.auth.accounts.schemas import AccountName, NewPassword
from nalm_server.base.schemas import Schema

Secret = Annotated[str, StringConstraints(min_length=1, max_length=256)]


class ByPassword(Schema):
    name: AccountName
    password: Secret


class ByLink(Schema):
    link: Secret
    """The secret of a one-time link."""


class PasswordChange(Schema):
    old: Secret | None = None
    """Not needed after a sign-in by link, or without a password."""
    new: NewPassword


class ProjectRole(Schema):
    project: str
    role: Role


class SignedIn(Schema):
    """Who calls, signed in or not. The page requests this first."""

    name: str | None
    """Null: not signed in."""
    administrator: bool
    roles: list[ProjectRole]
    by_link: bool
    """The session may set a password without the old one."""
    new_server: bool
    """Nobody has signed in yet: the first administrator's link was printed where the server was started."""
    csrf: str | None
    """To send with each write, in X-CSRF-Token."""


class ProviderShown(Schema):
    name: str
    label: str
