# SPDX-License-Identifier: Apache-2.0
"""Builds: each is stored once for all its runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from nalm_core.report.run_report import Arm, Build, RunReport
from sqlalchemy.orm import Session

from nalm_server.results import repository
from nalm_server.results.models import BuildRow

SAME = ("commit", "tree", "code_digest", "functions", "compiler", "options")
"""Builds that are equal in these fields are one."""


class Built(NamedTuple):
    digest: str
    build: Build


def of_report(report: RunReport) -> dict[Arm, Built]:
    """The builds of base and head, as far as there are."""
    return {
        arm: Built(digest_of(info.build), info.build)
        for arm in (Arm.HEAD, Arm.BASE)
        if (info := report.arms.get(arm)) is not None
    }


def record(session: Session, project_id: int, builds: Mapping[Arm, Built], now: datetime) -> dict[Arm, int]:
    """Numbers of the builds, by arm. The caller holds the project's lock."""
    by_digest = {one.digest: one.build for one in builds.values()}
    known = repository.find_builds(session, project_id, by_digest)
    new = [_row(project_id, build, digest, now) for digest, build in by_digest.items() if digest not in known]
    if new:
        repository.add_builds(session, new)
    known |= {row.digest: row.id for row in new}
    return {arm: known[one.digest] for arm, one in builds.items()}


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
