# SPDX-License-Identifier: Apache-2.0
"""SQL of the outcomes of commits: the newest verdict of each scenario, counted and ranked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from nalm_core.report.outcome import CHANGED
from sqlalchemy import Subquery, case, delete, func, insert, select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import CommitOutcomeRow, RunRow, VerdictRow

URGENCY = ("regressed", "broken", "invalid", "improved", "feature", "inconclusive", "same")
"""Outcomes in the order in which a reader wants to see them."""
RUN, VERDICT, OUTCOME = RunRow.__table__.c, VerdictRow.__table__.c, CommitOutcomeRow.__table__.c


def refresh(session: Session, commit_id: int) -> None:
    """Counts the commit's outcomes from its runs and verdicts. The caller holds the project's lock."""
    session.execute(delete(CommitOutcomeRow).where(OUTCOME.commit_id == commit_id))
    newest = _newest(RUN.commit_id == commit_id)
    counted = select(newest.c.commit_id, newest.c.display, func.count()).group_by(
        newest.c.commit_id, newest.c.display
    )
    session.execute(insert(CommitOutcomeRow).from_select(["commit_id", "display", "scenarios"], counted))


def counts(session: Session, commit_ids: Sequence[int], scenario_id: int | None) -> dict[int, dict[str, int]]:
    """By commit: how many scenarios have each outcome."""
    if scenario_id is None:
        query = select(OUTCOME.commit_id, OUTCOME.display, OUTCOME.scenarios).where(
            OUTCOME.commit_id.in_(commit_ids)
        )
    else:
        newest = _newest(RUN.commit_id.in_(commit_ids), RUN.scenario_id == scenario_id)
        query = select(newest.c.commit_id, newest.c.display, func.count()).group_by(
            newest.c.commit_id, newest.c.display
        )
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for commit_id, display, scenarios in session.execute(query):
        found[commit_id][display] = scenarios
    return found


def moved_scenarios(session: Session, commit_ids: Sequence[int]) -> list[int]:
    """Scenarios in which a run of these commits regressed or improved."""
    query = select(RUN.scenario_id).join(VerdictRow, VERDICT.run_id == RUN.id)
    moved = query.where(RUN.commit_id.in_(commit_ids), VERDICT.outcome.in_(CHANGED))
    return list(session.scalars(moved.distinct().order_by(RUN.scenario_id)))


def most_urgent(
    session: Session, commit_ids: Sequence[int], scenario_id: int | None, most: int
) -> dict[int, list[int]]:
    """By commit: run numbers of its `most` most urgent verdicts, of equal ones the largest change first."""
    of_scenario = [] if scenario_id is None else [RUN.scenario_id == scenario_id]
    newest = _newest(RUN.commit_id.in_(commit_ids), *of_scenario)
    urgency = case(
        {word: place for place, word in enumerate(URGENCY)}, value=newest.c.display, else_=len(URGENCY)
    )
    ratio = func.coalesce(newest.c.ratio_cpp, 1.0)
    size = case((ratio >= 1, ratio), (ratio > 0, 1 / ratio), else_=1)
    place = func.row_number().over(
        partition_by=newest.c.commit_id, order_by=(urgency, size.desc(), newest.c.run_number)
    )
    ranked = select(newest.c.commit_id, newest.c.run_number, place.label("place")).subquery()
    found: dict[int, list[int]] = defaultdict(list)
    query = select(ranked.c.commit_id, ranked.c.run_number).where(ranked.c.place <= most)
    for commit_id, run_number in session.execute(query.order_by(ranked.c.commit_id, ranked.c.place)):
        found[commit_id].append(run_number)
    return found


def of_jobs(session: Session, job_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """By job, of those with runs: how many runs have each outcome."""
    query = (
        select(RUN.job_id, VERDICT.display, func.count())
        .join(VerdictRow, VERDICT.run_id == RUN.id)
        .where(RUN.job_id.in_(job_ids))
        .group_by(RUN.job_id, VERDICT.display)
    )
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for job_id, display, runs in session.execute(query):
        found[job_id][display] = runs
    return found


def of_scenario(scenario_id: int) -> Subquery:
    """(commit_id, display): the newest outcome of one scenario at every commit."""
    return _newest(RUN.scenario_id == scenario_id)


def of_commits(commit_ids: Sequence[int]) -> Subquery:
    """(commit_id, run_number): the newest verdict of every scenario at these commits."""
    return _newest(RUN.commit_id.in_(commit_ids))


def _newest(*conditions: Any) -> Subquery:
    """The newest verdict of each commit and scenario, without confirmations on other hosts. Prefers the
    comparison with the parent, if there is one, to a bisect's comparison with an earlier commit."""
    commit = CommitRow.__table__.c
    with_parent = case((RUN.base_sha == commit.parent_sha, 0), else_=1)
    turn = func.row_number().over(
        partition_by=(RUN.commit_id, RUN.scenario_id),
        order_by=(with_parent, RUN.received_at.desc(), RUN.id.desc()),
    )
    ranked = (
        select(
            RUN.commit_id, RUN.id.label("run_number"), VERDICT.display, VERDICT.ratio_cpp, turn.label("turn")
        )
        .join(VerdictRow, VERDICT.run_id == RUN.id)
        .join(CommitRow, commit.id == RUN.commit_id)
        .where(*conditions, ~RunRow.beside)
        .subquery()
    )
    return select(ranked).where(ranked.c.turn == 1).subquery()
