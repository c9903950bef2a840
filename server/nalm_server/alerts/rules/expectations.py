# SPDX-License-Identifier: Apache-2.0
"""Expectations that commits and merge requests declare, stored with the commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from nalm_core.findings.expectation import Expectation, declared
from sqlalchemy.orm import Session

from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.rules.models import ExpectationRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import AUTHOR_LENGTH

Source = Literal["commit", "request", "triage"]


def record(session: Session, commit_id: int, after_commit_id: int, now: datetime) -> None:
    """Stores what messages of commits after the first, up to the second, declare. Idempotent."""
    for commit in rule_repository.commits_in(session, commit_id, after_commit_id):
        for one in declared(commit.message or "").expectations:
            declare(session, commit, one, "commit", commit.author or "", now=now)


def record_request(session: Session, commit: CommitRow, text: str, author: str | None, now: datetime) -> None:
    """Stores what the text of a pull request declares, for the commit that it became."""
    for one in declared(text).expectations:
        declare(session, commit, one, "request", (author or "")[:AUTHOR_LENGTH], now=now)


def triaged(session: Session, project_id: int, sha: str) -> list[ExpectationRow]:
    """What people accepted of the commit."""
    rows = rule_repository.expectations_of(session, project_id, sha)
    return [row for row in rows if row.source == "triage"]


def inherit(session: Session, commit: CommitRow, accepted: Sequence[ExpectationRow], now: datetime) -> None:
    """Stores what was accepted of a pull request's head for the commit that it became."""
    for row in accepted:
        one = Expectation(row.scenario, row.metric, row.bound, row.reason)
        declare(session, commit, one, "triage", row.who, now=now)


def declares(text: str | None) -> bool:
    return text is not None and bool(declared(text).expectations)


def mistakes(commits: Sequence[CommitRow]) -> list[str]:
    """Lines of their messages that look like declarations but cannot be parsed."""
    return [mistake for commit in commits for mistake in declared(commit.message or "").mistakes]


def declare(
    session: Session, commit: CommitRow, expectation: Expectation, source: Source, who: str, *, now: datetime
) -> None:
    """One for each commit, scenarios, metric and source; a later one replaces the bound."""
    for row in rule_repository.expectations_at(session, commit.id):
        if (row.scenario, row.metric, row.source) == (expectation.scenario, expectation.metric, source):
            row.bound, row.reason, row.who = expectation.bound, expectation.reason, who
            return
    row = ExpectationRow(
        project_id=commit.project_id,
        commit_id=commit.id,
        scenario=expectation.scenario,
        metric=expectation.metric,
        bound=expectation.bound,
        reason=expectation.reason,
        source=source,
        who=who,
        created_at=now,
    )
    rule_repository.add(session, row)
