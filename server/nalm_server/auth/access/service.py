# SPDX-License-Identifier: Apache-2.0
"""Checks what a caller may do in a project."""

from __future__ import annotations

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.access import repository
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.project_repository import find as find_project
from nalm_server.auth.access.roles import Role, higher, includes, lower
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import CEILING, UPLOADING, Scope
from nalm_server.base.errors import ForbiddenError, NotFoundError, UnauthorizedError

NO_PROJECT = (
    "There is no such project, or you may not read it: sign in, or send a token with a role in it. "
    "`nalm-server project add NAME --repository URL` adds one."
)
"""The same text for a missing project and one that the caller may not read."""
SIGN_IN = "This needs a sign-in, or the header `Authorization: Bearer TOKEN`."


def role_in(session: Session, caller: Principal, project_id: int) -> Role | None:
    """The caller's role in the project; None: none, not even for reading."""
    project = project_rows.find_by_id(session, project_id)
    anyone = Role.READER if project is not None and project.public else None
    return higher(anyone, _own_role(session, caller, project_id))


def _own_role(session: Session, caller: Principal, project_id: int) -> Role | None:
    """An account's own role; for a token, the role of its scope, at most its owner's."""
    if caller.project_id not in (None, project_id) or caller.anonymous:
        return None
    ceiling = Role.ADMINISTRATOR if caller.scope is None else CEILING.get(caller.scope)
    if ceiling is None or caller.agent_id is not None:
        return None
    if caller.account_id is None:
        return ceiling
    if caller.administrator:
        return ceiling
    return lower(ceiling, repository.role(session, caller.account_id, project_id))


def require_role(
    session: Session, caller: Principal, project_id: int, required: Role, *, missing: str = NO_PROJECT
) -> None:
    """Raises NotFoundError(missing) for a caller without any role, for whom a private project does not exist,
    UnauthorizedError for an anonymous caller, ForbiddenError for a role that is too low.

    `missing`: the text for a missing resource, so that both cases look alike.
    """
    held = role_in(session, caller, project_id)
    if includes(held, required):
        return
    if held is None:
        raise NotFoundError(missing)
    if caller.anonymous:
        raise UnauthorizedError(SIGN_IN)
    raise ForbiddenError(f"This needs the role {required} in the project; yours is {held}.")


def require_project(session: Session, caller: Principal, name: str, required: Role) -> ProjectRow:
    """The project of this name, if the caller has the role in it. Raises as require_role."""
    row = find_project(session, name)
    if row is None:
        raise NotFoundError(NO_PROJECT)
    require_role(session, caller, row.id, required)
    return row


def is_administrator(caller: Principal) -> bool:
    """True for a signed-in administrator of the server, or a valid token of scope admin."""
    if caller.scope is None:
        return caller.administrator
    owned = caller.account_id is not None
    return caller.scope is Scope.ADMIN and caller.project_id is None and (caller.administrator or not owned)


def require_administrator(caller: Principal) -> None:
    """For resources of the whole server: accounts, hosts, pools, new projects."""
    if caller.anonymous:
        raise UnauthorizedError(SIGN_IN)
    if not is_administrator(caller):
        raise ForbiddenError("This needs an administrator.")


def may_upload(session: Session, caller: Principal, project_id: int) -> bool:
    """Reports without a job: developers, and tokens with a scope for uploads."""
    if caller.anonymous or caller.agent_id is not None or caller.project_id not in (None, project_id):
        return False
    if caller.scope is not None and caller.scope not in UPLOADING:
        return False
    if caller.account_id is None or caller.administrator:
        return True
    return includes(repository.role(session, caller.account_id, project_id), Role.DEVELOPER)


def require_uploader(caller: Principal) -> None:
    """Rejects a caller without any right to upload, before a long body is read."""
    if caller.anonymous:
        raise UnauthorizedError(SIGN_IN)
    if caller.scope not in (None, Scope.AGENT, *UPLOADING):
        raise ForbiddenError(f"This token has scope {caller.scope}; reports need scope upload.")
