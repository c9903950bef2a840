# SPDX-License-Identifier: Apache-2.0
"""Commits as the API shows them. Null: no push told us."""

from __future__ import annotations

from datetime import datetime

from nalm_server.base.schemas import Schema
from nalm_server.jobs.schemas import JobBrief
from nalm_server.results.schemas import RunBrief, VerdictBrief


class CommitRef(Schema):
    sha: str
    short_sha: str
    subject: str | None
    author: str | None
    committed_at: datetime | None


class Commit(CommitRef):
    parent_sha: str | None
    job: JobBrief | None
    skipped: str | None
    """Why it is not measured; null: it is, or nobody has asked."""
    verdicts: list[VerdictBrief]
    """The newest of each scenario."""


class CommitDetail(Commit):
    message: str | None
    base_sha: str | None
    """What it was, or will be, compared with."""
    runs: list[RunBrief]
