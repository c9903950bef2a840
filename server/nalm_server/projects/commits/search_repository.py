# SPDX-License-Identifier: Apache-2.0
"""SQL of searches among the commits of the default branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.repository import older_than
from nalm_server.results import outcome_repository
from nalm_server.results.models import CommitOutcomeRow

COMMIT = CommitRow.__table__.c


@dataclass(frozen=True)
class CommitFilter:
    """Conditions on commits; None or empty: any."""

    text: str | None = None
    """Each word must occur in subject, author or a changed path, or begin the SHA."""
    outcomes: Sequence[str] = ()
    """At least one scenario has one of these."""
    scenario_id: int | None = None


def page(
    session: Session, project_id: int, commit_filter: CommitFilter, *, before: CommitRow | None, limit: int
) -> list[CommitRow]:
    """Newest first; only commits that follow `before` in this order."""
    query = select(CommitRow).where(*_matching(project_id, commit_filter))
    if commit_filter.outcomes:
        judged = _judged(commit_filter)
        query = query.where(
            COMMIT.id.in_(select(judged.commit_id).where(judged.display.in_(commit_filter.outcomes)))
        )
    if before is not None:
        query = query.where(older_than(before))
    return list(session.scalars(query.order_by(COMMIT.position.desc(), COMMIT.id.desc()).limit(limit)))


def outcome_counts(session: Session, project_id: int, commit_filter: CommitFilter) -> dict[str, int]:
    """By outcome: the number of commits of which a scenario has it, whichever outcomes are requested."""
    judged = _judged(commit_filter)
    counted = (
        select(judged.display, func.count())
        .join(CommitRow, COMMIT.id == judged.commit_id)
        .where(*_matching(project_id, commit_filter))
        .group_by(judged.display)
    )
    return dict(session.execute(counted).all())


def _judged(commit_filter: CommitFilter) -> Any:
    if commit_filter.scenario_id is None:
        return CommitOutcomeRow.__table__.c
    return outcome_repository.of_scenario(commit_filter.scenario_id).c


def _matching(project_id: int, commit_filter: CommitFilter) -> list[ColumnElement[bool]]:
    of_branch = and_(COMMIT.project_id == project_id, CommitRow.listed)
    return [of_branch, *(_has(word) for word in (commit_filter.text or "").split())]


def _has(word: str) -> ColumnElement[bool]:
    in_text = (
        column.icontains(word, autoescape=True) for column in (COMMIT.subject, COMMIT.author, COMMIT.paths)
    )
    return or_(COMMIT.sha.startswith(word.lower(), autoescape=True), *in_text)
