# SPDX-License-Identifier: Apache-2.0
"""Judged reports of a run or of a commit, for core to render."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nalm_core.verdict.judged import Judged
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import name_of
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import NalmError, NotFoundError
from nalm_server.git.commits import service as commits
from nalm_server.notify.forges.current_state import run_url
from nalm_server.results import repository as run_rows
from nalm_server.results import service as runs
from nalm_server.results.extracts.renderable import renderable
from nalm_server.results.repository import JudgedRun


def of_run(session: Session, caller: Principal, run_id: str, base_url: str) -> list[Judged]:
    """Raises ReportExpiredError if the report has aged out."""
    found = runs.require(session, caller, run_id)
    return _judged(session, [found], name_of(session, found.run.project_id), base_url)


def of_commit(session: Session, caller: Principal, project: str, sha: str, base_url: str) -> list[Judged]:
    """The newest run of each scenario. Raises NotFoundError if there is none."""
    row = require_project(session, caller, project, Role.READER)
    commit = commits.require(session, row.id, sha)
    newest: dict[str, JudgedRun] = {}
    for one in run_rows.of_commits(session, [commit.id], None):
        if not one.run.beside:
            newest.setdefault(one.scenario, one)
    if not newest:
        raise NotFoundError(f"Commit {sha} has not been measured.")
    return _judged(session, list(newest.values()), project, base_url)


def _judged(session: Session, found: Sequence[JudgedRun], project: str, base_url: str) -> list[Judged]:
    """Raises ReportExpiredError, ReportUnreadableError."""

    def refuse(_one: JudgedRun, error: NalmError) -> None:
        raise error

    return renderable(session, found, partial(run_url, base_url, project), refuse)
