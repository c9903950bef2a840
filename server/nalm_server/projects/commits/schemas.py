# SPDX-License-Identifier: Apache-2.0
"""Commits as the API shows them. Null: no push named it."""

from __future__ import annotations

from nalm_server.base.schemas import Schema
from nalm_server.git.commits.schemas import CommitRef
from nalm_server.jobs.schemas import JobBrief
from nalm_server.results.schemas import Display, RunBrief, VerdictBrief


class Commit(CommitRef):
    parent_sha: str | None
    job: JobBrief | None
    skipped: str | None
    """Why it is not measured; null: it is, or no measurement was requested."""
    verdicts: list[VerdictBrief]
    """The newest of each scenario."""


class CommitDetail(Commit):
    message: str | None
    base_sha: str | None
    """The commit that it was, or will be, compared with."""
    runs: list[RunBrief]


class CommitSummary(CommitRef):
    parent_sha: str | None
    job: JobBrief | None
    skipped: str | None
    """Why it is not measured; null: it is, or no measurement was requested."""
    outcomes: dict[Display, int]
    """Number of scenarios by the outcome of their newest verdict; empty: not measured."""
    verdicts: list[VerdictBrief]
    """The three most urgent, of equal ones the largest change first; the commit's own answer has all."""


class CommitPage(Schema):
    commits: list[CommitSummary]
    """Newest first."""
    next: str | None
    """`before` of the next page; null: this is the last one."""
    outcomes: dict[Display, int] | None
    """With the first page: by outcome, the number of commits that match the text and have a scenario of this
    outcome, whichever outcomes are requested."""
