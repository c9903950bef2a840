# SPDX-License-Identifier: Apache-2.0
"""Commits as the API shows them. Null: no push named it."""

from __future__ import annotations

from nalm_server.git.commits.schemas import CommitRef
from nalm_server.jobs.schemas import JobBrief
from nalm_server.results.schemas import RunBrief, VerdictBrief


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
