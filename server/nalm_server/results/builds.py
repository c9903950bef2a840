# SPDX-License-Identifier: Apache-2.0
"""Builds: each is stored once for all its runs."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

from nalm_core.report.run_report import Arm, Build, RunReport
from sqlalchemy.orm import Session

from nalm_server.results import repository
from nalm_server.results.models import BuildRow

SAME = ("commit", "tree", "code_digest", "functions", "compiler", "options")
"""Builds that are equal in these fields are one."""


def record(session: Session, project_id: int, report: RunReport, arm: Arm, now: datetime) -> int | None:
    """The arm's build; None if the arm was not built. The caller holds the project's lock."""
    info = report.arms.get(arm)
    if info is None:
        return None
    digest = digest_of(info.build)
    known = repository.find_build(session, project_id, digest)
    return (known or repository.add_build(session, _row(project_id, info.build, digest, now))).id


def digest_of(build: Build) -> str:
    fields = build.model_dump(mode="json", include=set(SAME))
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _row(project_id: int, build: Build, digest: str, now: datetime) -> BuildRow:
    return BuildRow(
        project_id=project_id,
        digest=digest,
        sha=build.commit,
        tree=build.tree,
        code_digest=build.code_digest,
        functions=build.functions,
        compiler=build.compiler,
        options=build.options,
        first_seen_at=now,
    )
