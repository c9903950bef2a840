# SPDX-License-Identifier: Apache-2.0
"""GET and PUT /projects/{project}/retention."""

from __future__ import annotations

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.ops.retention import service
from nalm_server.ops.retention.schemas import Retention, Rules

router = api_router("store", "/projects/{project}/retention")


@router.get("", responses=documented(401, 403, 404))
def get_retention(project: ProjectName, session: ReadDb, context: Ctx, now: Now, caller: Caller) -> Retention:
    """Shows the project's rules, what the next sweep removes, and what was removed so far."""
    found = require_project(session, caller, project, Role.READER)
    return service.show(session, found, context.settings, now)


@router.put("", responses=documented(401, 403, 404, 413))
def set_retention(
    project: ProjectName, rules: Rules, *, session: Db, context: Ctx, now: Now, caller: Caller
) -> Retention:
    """Sets the project's own rules; `due` in the answer is what they remove."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    service.change(session, caller, found, rules, now)
    return service.show(session, found, context.settings, now)
