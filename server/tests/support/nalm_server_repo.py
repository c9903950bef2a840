# SPDX-License-Identifier: Apache-2.0
"""The project `demo` as a path of this host that the server reads."""

from __future__ import annotations

from pathlib import Path

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server_git import Repo, make_repo
from nalm_server_harness import Service
from sqlalchemy import update


def local_repo(service: Service, home: Path) -> Repo:
    """An empty repository that `demo` is moved to."""
    made = make_repo(home)
    with service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository=str(made.path)))
        branch_filters.require(session, 1).local = True
        session.commit()
    return made
