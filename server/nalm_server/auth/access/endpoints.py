# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/people."""

from __future__ import annotations

from nalm_server.auth.access import people
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.schemas import Member, MemberRole
from nalm_server.auth.access.service import require_project
from nalm_server.auth.accounts.schemas import AccountName
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName

router = api_router("people", "/projects/{project}/people")


@router.get("", responses=documented(404))
def list_people(project: ProjectName, session: ReadDb, caller: Caller) -> list[Member]:
    """Lists the members of the project with their roles, by name."""
    return people.list_people(session, require_project(session, caller, project, Role.MAINTAINER))


@router.put("/{account}", responses=documented(404, 413))
def set_member(
    project: ProjectName, account: AccountName, member: MemberRole, *, session: Db, now: Now, caller: Caller
) -> Member:
    """Adds an account to the project, or changes its role."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return people.set_role(session, caller, row, account, role=member.role, now=now)


@router.delete("/{account}", status_code=204, responses=documented(404))
def remove_member(project: ProjectName, account: AccountName, session: Db, now: Now, caller: Caller) -> None:
    """Removes an account's role in the project."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    people.remove(session, caller, row, account, now)
