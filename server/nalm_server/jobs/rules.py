# SPDX-License-Identifier: Apache-2.0
"""A project's rules for its queue."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.access.roles import Role
from nalm_server.access.service import require_role
from nalm_server.audit.service import record
from nalm_server.jobs.schemas import QueueRules
from nalm_server.projects import service as projects
from nalm_server.tokens.service import Principal


def set_rules(
    session: Session, caller: Principal, project: str, wanted: QueueRules, now: datetime
) -> QueueRules:
    row = projects.require(session, project)
    require_role(session, caller, row.id, Role.MAINTAINER)
    row.latest_only = wanted.latest_only
    record(
        session,
        caller,
        "project.queue",
        f"project {row.name}",
        now,
        project_id=row.id,
        detail=f"latest_only = {wanted.latest_only}",
    )
    return wanted
