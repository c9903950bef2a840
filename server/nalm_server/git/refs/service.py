# SPDX-License-Identifier: Apache-2.0
"""Branches, tags and pull requests: how they change, and as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.git.events import PullRequestChanged
from nalm_server.git.refs import repository
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.git.refs.schemas import Branch, PullRequest, PullRequestState, Tag


def change_pull_requests(
    session: Session,
    project_id: int,
    rows: dict[int, PullRequestRow],
    changes: Sequence[tuple[PullRequestChanged, str | None]],
    now: datetime,
) -> None:
    """Updates pull requests from events, each with its base's commit. Fields without a value keep theirs.

    rows: those known, by number; new ones are added.
    """
    for event, base_sha in changes:
        if (row := rows.get(event.number)) is None:
            row = rows[event.number] = PullRequestRow(
                project_id=project_id, number=event.number, title=None, author=None, url=None
            )
        _change_pull_request(row, event, base_sha, now)
    repository.add_pull_requests(session, rows.values())


def _change_pull_request(
    row: PullRequestRow, event: PullRequestChanged, base_sha: str | None, now: datetime
) -> None:
    row.state, row.head_sha = event.state, event.head_sha
    row.from_fork, row.fork = event.from_fork, event.fork
    row.base_branch, row.updated_at = event.base_branch[:255], now
    row.title = (event.title or row.title or "")[:512] or None
    row.author = (event.author or row.author or "")[:256] or None
    row.url = event.url if event.url and len(event.url) <= 512 else row.url
    row.base_sha = base_sha or row.base_sha
    row.changed_at = event.changed_at or row.changed_at


def list_branches(session: Session, caller: Principal, project: str) -> list[Branch]:
    found = require_project(session, caller, project, Role.READER)
    return [Branch.model_validate(row) for row in repository.branches(session, found.id)]


def list_tags(session: Session, caller: Principal, project: str, limit: int) -> list[Tag]:
    found = require_project(session, caller, project, Role.READER)
    return [Tag.model_validate(row) for row in repository.tags(session, found.id, limit)]


def list_pull_requests(
    session: Session, caller: Principal, project: str, state: PullRequestState | None, limit: int
) -> list[PullRequest]:
    found = require_project(session, caller, project, Role.READER)
    rows = repository.pull_requests(session, found.id, state, limit)
    return [PullRequest.model_validate(row) for row in rows]
