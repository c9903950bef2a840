# SPDX-License-Identifier: Apache-2.0
"""How to read a project's repository, from the database."""

from __future__ import annotations

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.graph.git import Limits, Repository

LOCAL_SECONDS = 60.0
"""Timeout of queries without network."""


def describe(context: Context, project: ProjectRow) -> Repository:
    """Uses a short transaction of its own."""
    with context.read_sessions() as session:
        row = session.get(RepositorySettingsRow, project.id)
    sealed = row.read_credential if row else None
    user, _, token = context.box.open(sealed).partition(":") if sealed else ("", "", "")
    return Repository(
        project_id=project.id,
        address=project.repository,
        local=row is not None and row.local,
        credential=(user, token) if token else None,
    )


def limits(context: Context, *, online: bool) -> Limits:
    seconds = context.settings.git_seconds if online else LOCAL_SECONDS
    return Limits(seconds, context.settings.mirror_bytes)
