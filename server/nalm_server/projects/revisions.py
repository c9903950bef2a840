# SPDX-License-Identifier: Apache-2.0
"""Finds branches, tags and commits for completion while a user types."""

from __future__ import annotations

from collections.abc import Collection

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow, TagRow
from nalm_server.git.refs.schemas import Revision
from nalm_server.projects import revision_repository as repository


def find(session: Session, caller: Principal, project: str, text: str, limit: int) -> list[Revision]:
    found = require_project(session, caller, project, Role.READER)
    branches = repository.named(session, BranchRow, found.id, text, limit)
    tags = repository.named(session, TagRow, found.id, text, limit - len(branches))
    left = limit - len(branches) - len(tags)
    commits = repository.commits(session, found.id, text, left)
    rows = [row for _, row in branches + tags] + commits
    measured = repository.measured(session, found.id, rows)
    return [
        *(_shown("branch", name, row, measured) for name, row in branches),
        *(_shown("tag", name, row, measured) for name, row in tags),
        *(_shown("commit", short(row.sha), row, measured) for row in commits),
    ]


def _shown(kind: str, name: str, row: CommitRow, measured: Collection[str]) -> Revision:
    return Revision.model_validate(
        {
            "kind": kind,
            "name": name,
            "sha": row.sha,
            "subject": row.subject,
            "author": row.author,
            "committed_at": row.committed_at,
            "measured": row.sha in measured,
        }
    )
