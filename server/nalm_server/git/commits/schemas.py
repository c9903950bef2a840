# SPDX-License-Identifier: Apache-2.0
"""Commits as the API shows them. Null: no push named it."""

from __future__ import annotations

from datetime import datetime

from nalm_server.base.schemas import Schema


class CommitRef(Schema):
    sha: str
    short_sha: str
    subject: str | None
    author: str | None
    committed_at: datetime | None
