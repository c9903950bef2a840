# SPDX-License-Identifier: Apache-2.0
"""Marks weeks whose commits, runs or verdicts changed, so that their figures are computed again.

A commit also changes what the pairs across it say: they enter only while no commit between theirs was
measured. The caller holds the project's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    measured = weeks.measured(session, list(by_id))
    for commit_id, scenario_id in dict.fromkeys((run[0], run[1]) for run in measured):
        marked += weeks.measured_across(session, by_id[commit_id], scenario_id)
    # Without a time, a commit was of the week of its first run until now.
    _mark(session, marked, {at for _, _, at in measured})


def run_stored(session: Session, judged: JudgedRun, _now: datetime) -> None:
    commit = commit_rows.get(session, judged.run.commit_id)
    marked = [commit, *weeks.measured_across(session, commit, judged.run.scenario_id)]
    without_time = [row.id for row in marked if row.committed_at is None]
    _mark(session, marked, weeks.times_of_runs(session, without_time))


def _mark(session: Session, commits: Sequence[CommitRow], others: Iterable[datetime]) -> None:
    """Marks the weeks of these commits, and of other times."""
    times = {row.committed_at for row in commits if row.committed_at is not None} | set(others)
    weeks.mark(session, commits[0].project_id, sorted({start_of(at) for at in times}))
