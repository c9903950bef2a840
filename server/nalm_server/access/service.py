# SPDX-License-Identifier: Apache-2.0
"""The one question every endpoint asks: may this caller do this in this project?"""

from __future__ import annotations

from sqlalchemy.orm import Session

from nalm_server.access.roles import Role, includes
from nalm_server.errors import ForbiddenError, UnauthorizedError
from nalm_server.tokens.service import Principal, Scope


def role_in(session: Session, caller: Principal, project_id: int) -> Role | None:
    """The caller's role in the project; None: none."""
    if caller.scope is Scope.ADMIN:
        return Role.ADMINISTRATOR
    return Role.READER


def require_role(session: Session, caller: Principal, project_id: int, wanted: Role) -> None:
    """Raises UnauthorizedError for somebody unknown, ForbiddenError for a role too low."""
    held = role_in(session, caller, project_id)
    if includes(held, wanted):
        return
    if caller.anonymous:
        raise UnauthorizedError("This needs a sign-in, or the header `Authorization: Bearer TOKEN`.")
    raise ForbiddenError(f"This needs the role {wanted} in the project; yours is {held or 'none'}.")


def require_administrator(caller: Principal) -> None:
    """For what belongs to the whole server: accounts, hosts, pools, new projects."""
    if caller.scope is not Scope.ADMIN:
        raise ForbiddenError("This needs an administrator.")
