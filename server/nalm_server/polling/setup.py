# SPDX-License-Identifier: Apache-2.0
"""What keeps every commit of a project from being measured, as its repository shows: the default branch is
gone, or its nalm.toml is missing or wrong."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from nalm_core.text.commit_name import short

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git import configuration, graph
from nalm_server.git.branch_filters import repository as branch_filters

log = structlog.get_logger()

HEADS = "refs/heads/"
NAMED = 5
"""Maximum number of other branches that are named."""


def look(context: Context, project: ProjectRow, seen: Mapping[str, str]) -> None:
    """Stores what is wrong. seen: SHA by full name of a ref."""
    head = seen.get(HEADS + project.default_branch)
    branch_error = _without_branch(project.default_branch, seen) if head is None else None
    with context.read_sessions() as session:
        row = branch_filters.find(session, project.id)
    known = (row.branch_error, row.configuration_sha) if row is not None else (None, None)
    if known == (branch_error, head):
        return
    try:
        fault = None if head is None else _configuration_fault(context, project, head)
    except NalmError as error:
        log.warning("nalm.toml could not be read", project=project.name, error=error.message)
        head = fault = None
    with context.sessions() as session:
        projects.lock(session, project.id)
        row = branch_filters.require(session, project.id)
        row.branch_error, row.configuration_sha, row.configuration_error = branch_error, head, fault
        session.commit()


def _without_branch(name: str, seen: Mapping[str, str]) -> str:
    others = sorted(ref.removeprefix(HEADS) for ref in seen if ref.startswith(HEADS))
    if not others:
        return "The repository has no commits yet."
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    word = "branch is" if len(others) == 1 else "branches are"
    return f"The repository has no branch {name}; its {word} {', '.join(others[:NAMED])}{more}."


def _configuration_fault(context: Context, project: ProjectRow, sha: str) -> str | None:
    text = graph.file_text(context, project, sha, configuration.FILE_NAME, configuration.MOST_BYTES)
    where = f"{project.default_branch} ({short(sha)})"
    if text is None:
        return f"There is no {configuration.FILE_NAME} at {where}."
    fault = configuration.fault(text)
    return None if fault is None else f"{configuration.FILE_NAME} at {where} is wrong: {fault}."
