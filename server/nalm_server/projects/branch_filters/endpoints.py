# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/branch-filters, /webhook-secret, /read-token."""

from __future__ import annotations

from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.projects.branch_filters import service
from nalm_server.projects.branch_filters.schemas import (
    BranchFilterSettings,
    BranchFilterSettingsShown,
    ReadToken,
    SecretChange,
    SecretChanged,
)

router = api_router("branch filters", "/projects/{project}")


@router.get("/branch-filters", responses=documented(401, 403, 404))
def get_branch_filters(project: ProjectName, session: ReadDb, caller: Caller) -> BranchFilterSettingsShown:
    """Shows what is measured of the repository, and when it was last read. For maintainers."""
    return service.get_branch_filters(session, caller, project)


@router.put("/branch-filters", responses=documented(401, 403, 404, 413))
def set_branch_filters(
    project: ProjectName, settings: BranchFilterSettings, session: Db, caller: Caller, now: Now
) -> BranchFilterSettingsShown:
    """Replaces all of it; fields that are left out get their defaults. For maintainers."""
    return service.set_branch_filters(session, caller, project, settings, now)


@router.post("/webhook-secret", responses=documented(401, 403, 404, 413))
def change_webhook_secret(
    project: ProjectName, change: SecretChange, session: Db, context: Ctx, caller: Caller
) -> SecretChanged:
    """Changes the webhook secret. The new one is in this answer and not shown again. For maintainers."""
    return service.change_secret(session, context, caller, project, change)


@router.put("/read-token", status_code=204, responses=documented(401, 403, 404, 413))
def set_read_token(project: ProjectName, token: ReadToken, session: Db, context: Ctx, caller: Caller) -> None:
    """Sets the token that reads a private repository. For maintainers."""
    service.set_read_token(session, context, caller, project, token)


@router.delete("/read-token", status_code=204, responses=documented(401, 403, 404))
def remove_read_token(project: ProjectName, session: Db, context: Ctx, caller: Caller) -> None:
    """Deletes the read token. For maintainers."""
    service.set_read_token(session, context, caller, project, None)
