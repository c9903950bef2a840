# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/notifications."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.notify import service
from nalm_server.notify.schemas import Notification, NotificationState

router = api_router("integrations", "/projects/{project}/notifications")


@router.get("", responses=documented(401, 403, 404))
def list_notifications(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    state: Annotated[
        list[NotificationState] | None, Query(description="Only notifications in these states.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="Only older ones than this number.")
    ] = None,
) -> list[Notification]:
    """Lists notifications that were sent, wait or failed; newest first."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return service.list_notifications(session, row.id, state, limit, before)


@router.post("/{number}/redeliver", status_code=202, responses=documented(401, 403, 404, 409))
def redeliver_notification(
    project: ProjectName,
    number: Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a notification.")],
    session: Db,
    now: Now,
    caller: Caller,
) -> None:
    """Sends the notification again. Its receiver may get it twice."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    service.redeliver(session, row.id, number, now)
    record(session, caller, "notification.redeliver", f"notification {number}", now, project_id=row.id)
