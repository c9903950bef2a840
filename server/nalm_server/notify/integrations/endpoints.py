# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/integrations."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.notify.integrations import repository, service, test_message
from nalm_server.notify.integrations.schemas import (
    Integration,
    IntegrationChange,
    IntegrationCreated,
    IntegrationNew,
    TestResult,
)

router = api_router("integrations", "/projects/{project}/integrations")

Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of an integration.")]


@router.get("", responses=documented(401, 403, 404))
def list_integrations(project: ProjectName, session: ReadDb, caller: Caller) -> list[Integration]:
    """Lists the project's integrations by name, without their secrets."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return service.list_integrations(session, row.id)


@router.post("", status_code=201, responses=documented(401, 403, 404, 409, 413))
def create_integration(
    project: ProjectName, new: IntegrationNew, context: Ctx, now: Now, caller: Caller
) -> IntegrationCreated:
    """Adds an integration. A webhook's signing secret is in this answer and not shown again."""
    with context.read_sessions() as session:
        require_project(session, caller, project, Role.MAINTAINER)
    service.check(context, new)  # resolves a host name: no transaction waits for that
    with context.sessions() as session:
        row = require_project(session, caller, project, Role.MAINTAINER)
        made = service.create(session, context, row.id, new, who=caller.name, now=now)
        record(session, caller, "integration.add", f"{new.kind} {new.name}", now, project_id=row.id)
        session.commit()
    return made


@router.patch("/{number}", responses=documented(401, 403, 404, 413))
def change_integration(
    project: ProjectName, number: Number, *, change: IntegrationChange, session: Db, now: Now, caller: Caller
) -> Integration:
    """Enables or disables the integration. Notifications are not sent later for the time in between."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    row = service.require(session, found.id, number)
    row.enabled = change.enabled
    verb = "enable" if change.enabled else "disable"
    record(session, caller, f"integration.{verb}", row.name, now, project_id=found.id)
    return Integration.model_validate(row)


@router.delete("/{number}", status_code=204, responses=documented(401, 403, 404))
def delete_integration(project: ProjectName, number: Number, session: Db, now: Now, caller: Caller) -> None:
    """Removes the integration with its secret and notifications. What it wrote at the forge stays."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    row = service.require(session, found.id, number)
    record(session, caller, "integration.remove", row.name, now, project_id=found.id)
    repository.remove(session, row)


@router.post("/{number}/test", responses=documented(401, 403, 404))
def test_integration(
    project: ProjectName, number: Number, context: Ctx, now: Now, caller: Caller
) -> TestResult:
    """Tests the integration: a forge checks the credential, others get a message marked as a test."""
    with context.sessions() as session:
        found = require_project(session, caller, project, Role.MAINTAINER)
        row = service.require(session, found.id, number)
        record(session, caller, "integration.test", row.name, now, project_id=found.id)
        session.commit()
    return test_message.run(context, row, project, now)
