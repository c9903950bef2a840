# SPDX-License-Identifier: Apache-2.0
"""A project's rules for its queue."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal
from nalm_server.jobs.schemas import QueueRules


def set_rules(
    session: Session, caller: Principal, project: str, rules: QueueRules, now: datetime
) -> QueueRules:
    row = require_project(session, caller, project, Role.MAINTAINER)
    row.latest_only = rules.latest_only
    record(
        session,
        caller,
        "project.queue",
        f"project {row.name}",
        now,
        project_id=row.id,
        detail=f"latest_only = {rules.latest_only}",
    )
    return rules
