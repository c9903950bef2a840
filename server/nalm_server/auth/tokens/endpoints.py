# SPDX-License-Identifier: Apache-2.0
"""/tokens, the caller's own; /projects/{project}/tokens."""

from __future__ import annotations

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.auth.tokens import managing
from nalm_server.auth.tokens.schemas import OwnTokenNew, ProjectTokenNew, Token, TokenCreated, TokenId
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName

router = api_router("tokens")


@router.get("/tokens", responses=documented())
def list_tokens(session: ReadDb, caller: Caller) -> list[Token]:
    """Lists the caller's own tokens."""
    return managing.own(session, caller)


@router.post("/tokens", status_code=201, responses=documented(404, 413))
def add_token(new: OwnTokenNew, session: Db, context: Ctx, now: Now, caller: Caller) -> TokenCreated:
    """Makes a token with the rights of its scope, at most those of its owner. Shown once."""
    return managing.make_own(session, context.settings, caller, new, now)


@router.delete("/tokens/{token_id}", status_code=204, responses=documented(404))
def revoke_token(token_id: TokenId, session: Db, now: Now, caller: Caller) -> None:
    """Revokes one of the caller's tokens at once."""
    managing.revoke_own(session, caller, token_id, now)


@router.get("/projects/{project}/tokens", responses=documented(404))
def list_project_tokens(project: ProjectName, session: ReadDb, caller: Caller) -> list[Token]:
    """Lists the tokens that are for this project alone."""
    return managing.of_project(session, require_project(session, caller, project, Role.MAINTAINER))


@router.post("/projects/{project}/tokens", status_code=201, responses=documented(404, 413))
def add_project_token(
    project: ProjectName, new: ProjectTokenNew, *, session: Db, context: Ctx, now: Now, caller: Caller
) -> TokenCreated:
    """Makes a token of the project, for its CI. Shown once."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return managing.make_for_project(session, context.settings, caller, row, new, now=now)


@router.delete("/projects/{project}/tokens/{token_id}", status_code=204, responses=documented(404))
def revoke_project_token(
    project: ProjectName, token_id: TokenId, session: Db, now: Now, caller: Caller
) -> None:
    """Revokes one of the project's tokens at once."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    managing.revoke_of_project(session, caller, row, token_id, now)
