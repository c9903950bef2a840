# SPDX-License-Identifier: Apache-2.0
"""GET /audit, GET /projects/{project}/audit."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_administrator, require_project
from nalm_server.auth.audit import service
from nalm_server.auth.audit.repository import AuditFilter
from nalm_server.auth.audit.schemas import AuditEntry
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName

router = api_router("audit")

Before = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Only entries before this number.")]
Limit = Annotated[int, Query(ge=1, le=500)]
Who = Annotated[str | None, Query(max_length=128, description="Only changes made by this account or token.")]
Action = Annotated[
    str | None,
    Query(max_length=64, description="Only this action (`token.revoke`), or all of a noun (`token`)."),
]


@router.get("/audit", responses=documented())
def get_audit(
    session: ReadDb,
    caller: Caller,
    *,
    who: Who = None,
    action: Action = None,
    before: Before = None,
    limit: Limit = 100,
) -> list[AuditEntry]:
    """Lists changes on the whole server, newest first."""
    require_administrator(caller)
    return service.entries(session, AuditFilter(None, who, action, before, limit))


@router.get("/projects/{project}/audit", responses=documented(404))
def get_project_audit(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    who: Who = None,
    action: Action = None,
    before: Before = None,
    limit: Limit = 100,
) -> list[AuditEntry]:
    """Lists changes in one project, newest first."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return service.entries(session, AuditFilter(row.id, who, action, before, limit))
