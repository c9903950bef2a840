# SPDX-License-Identifier: Apache-2.0
"""Requests looks at histories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.report.outcome import VALID
from sqlalchemy.orm import Session

from nalm_server.changepoints import looks_repository as looks
from nalm_server.changepoints.measured_line_repository import OF_HISTORY, histories_of
from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import repository as job_rows
from nalm_server.results.repository import JudgedRun
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def run_taken(session: Session, judged: JudgedRun, _now: datetime) -> None:
    """A run of a commit of the default branch changes its history. The caller holds the project's lock."""
    run = judged.run
    if judged.verdict.outcome not in VALID or run.import_id is not None:
        return
    job = job_rows.find(session, run.job_id) if run.job_id is not None else None
    if job is not None and job.reason not in OF_HISTORY:
        return
    if commit_rows.get(session, run.commit_id).listed:
        looks.ask(session, run.scenario_id, run.host_class)
        wake(session, Work.JUDGEMENT)


def line_changed(session: Session, commits: Sequence[CommitRow]) -> None:
    """Commits of one project came onto the default branch or left it, and with them their runs. The caller
    holds the project's lock."""
    found = histories_of(session, [row.id for row in commits])
    for scenario_id, host_class in found:
        looks.ask(session, scenario_id, host_class)
    if found:
        wake(session, Work.JUDGEMENT)


def project(session: Session, project_id: int, *, whole: bool) -> int:
    """Requests looks at all histories of the project and returns their number; `whole`: also at judged
    blocks, as changes of the past. The caller holds the project's lock."""
    found = looks.of_project(session, project_id)
    for scenario_id, host_class in found:
        looks.ask(session, scenario_id, host_class, whole=whole)
    wake(session, Work.JUDGEMENT)
    return len(found)
