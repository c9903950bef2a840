# SPDX-License-Identifier: Apache-2.0
"""Marks weeks whose commits, runs or verdicts changed, so that their figures are computed again.

A commit also changes what the pairs across it say: they enter only while no commit between theirs was
measured. The caller holds the project's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import week_repository as weeks
from nalm_server.alerts.weeks.calendar import start_of
from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.repository import JudgedRun


def commits_changed(session: Session, commits: Sequence[CommitRow]) -> None:
    """Few of them have runs already."""
    by_id = {row.id: row for row in commits}
    marked = list(commits)
    for commit_id, scenario_id in weeks.measured(session, list(by_id)):
        marked += weeks.measured_across(session, by_id[commit_id], scenario_id)
    # Without a time, a commit was of the week of its first run until now.
    _mark(session, marked, list(by_id))


def run_stored(session: Session, judged: JudgedRun, _now: datetime) -> None:
    commit = commit_rows.get(session, judged.run.commit_id)
    marked = [commit, *weeks.measured_across(session, commit, judged.run.scenario_id)]
    _mark(session, marked, [row.id for row in marked if row.committed_at is None])


def _mark(session: Session, commits: Sequence[CommitRow], by_runs: Sequence[int]) -> None:
    """by_runs: numbers of commits of which also the weeks of their runs are marked."""
    times = {row.committed_at for row in commits if row.committed_at is not None}
    times |= weeks.times_of_runs(session, by_runs)
    weeks.mark(session, commits[0].project_id, sorted({start_of(at) for at in times}))
