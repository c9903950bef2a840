# SPDX-License-Identifier: Apache-2.0
"""Projects."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.repository import readable
from nalm_server.auth.access.service import NO_PROJECT
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.principal import SYSTEM, Principal
from nalm_server.base.errors import ConflictError, ErrorDetail, InvalidError, NotFoundError
from nalm_server.base.settings import LOCAL_URL
from nalm_server.db.context import Context
from nalm_server.features import reference
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server.git.graph import FirstLook, first_look
from nalm_server.git.graph.errors import GraphError
from nalm_server.projects import moving, repository
from nalm_server.projects.problems import problems_of
from nalm_server.projects.schemas import Project, ProjectCreated, ProjectNew, ProjectSettings
from nalm_server.results import outcome_repository as outcomes
from nalm_server.results import verdicts


class UnreadableRepositoryError(InvalidError):
    name = "repository_unreadable"


def require(session: Session, name: str) -> ProjectRow:
    """The project, without a check of rights. Raises NotFoundError with what to do."""
    row = project_repository.find(session, name)
    if row is None:
        raise NotFoundError(NO_PROJECT)
    return row


def list_projects(session: Session, caller: Principal, now: datetime) -> list[Project]:
    return _described(session, readable(caller), now)


def describe(session: Session, row: ProjectRow, now: datetime) -> Project:
    return _described(session, ProjectRow.id == row.id, now)[0]


def create_project(
    session: Session, context: Context, caller: Principal, new: ProjectNew, now: datetime
) -> ProjectCreated:
    """Adds the project with a webhook secret and an upload token of its own.

    A path is accepted as repository only from the command on this host, whose user could read it anyway.
    Raises InvalidError for an address without such a repository or branch.
    """
    session.rollback()  # releases the connection while the forge answers
    seen = _first_look(new) if new.check_repository else FirstLook(None)
    if project_repository.find(session, new.name) is not None:
        raise ConflictError(f"There is a project {new.name!r} already: choose another name.")
    secret = tokens.new_secret()
    row = project_repository.add(
        session,
        ProjectRow(
            name=new.name,
            repository=new.repository,
            default_branch=_branch(new, seen),
            public=new.public,
            webhook_secret=context.box.seal(secret),
            created_at=now,
        ),
    )
    record(session, caller, "project.add", f"project {row.name}", now, project_id=row.id)
    watch = branch_filters.require(session, row.id)
    watch.local, watch.reconcile_error = caller is SYSTEM, seen.trouble
    token = tokens.issue(session, tokens.Scope.UPLOAD, f"upload {new.name}", now, row.id)
    return ProjectCreated(
        name=row.name,
        repository=row.repository,
        default_branch=row.default_branch,
        webhook_url=f"{context.settings.public_url or LOCAL_URL}/api/v1/hooks/github?project={row.name}",
        webhook_secret=secret,
        upload_token=token,
    )


def _branch(new: ProjectNew, seen: FirstLook) -> str:
    branch = new.default_branch or seen.branch
    if branch is None:
        raise InvalidError(
            "The server cannot read which branch is the repository's HEAD: give `default_branch`.",
            [
                ErrorDetail(
                    path="$.default_branch", message="the repository's HEAD is not known: name a branch"
                )
            ],
        )
    return branch


def is_path(repository: str) -> bool:
    """True for a repository on the server's host."""
    return repository.startswith(("/", "file://"))


def _first_look(new: ProjectNew) -> FirstLook:
    """Without a look for a path."""
    if is_path(new.repository):
        return FirstLook(None)
    try:
        return first_look(new.repository, new.default_branch)
    except GraphError as error:
        raise UnreadableRepositoryError(
            f"The server cannot read {new.repository}: {str(error).rstrip('.')}. Correct it, or add the "
            "project unchecked (`--unchecked`, `check_repository = false`) if only the agents can reach it.",
            [ErrorDetail(path="$.repository", message=str(error))],
        ) from error


def change_project(
    session: Session, caller: Principal, row: ProjectRow, settings: ProjectSettings, now: datetime
) -> Project:
    moving.move(session, caller, row, settings, now)
    if settings.public is not None and settings.public != row.public:
        row.public = settings.public
        action = "project.publish" if row.public else "project.hide"
        record(session, caller, action, f"project {row.name}", now, project_id=row.id)
    if "reference" in settings.model_fields_set:
        reference.move(session, caller, row, settings.reference, now)
    return describe(session, row, now)


def _described(session: Session, condition: ColumnElement[bool], now: datetime) -> list[Project]:
    rows = repository.overviews(session, condition)
    problems = problems_of(session, rows, now)
    last_commits = [row.last_commit for row in rows if row.last_commit is not None]
    urgent = {
        commit: runs[0] for commit, runs in outcomes.most_urgent(session, last_commits, None, 1).items()
    }
    shown = verdicts.of_runs(session, list(urgent.values()))
    last = {commit: shown[run] for commit, run in urgent.items()}
    return [
        Project(
            name=row.name,
            repository=row.repository,
            default_branch=row.default_branch,
            public=row.public,
            reference=row.reference_sha,
            commits=row.commits,
            jobs_open=row.jobs_open,
            alerts_open=row.alerts_open,
            repository_error=row.repository_error,
            problems=problems[row.name],
            last_verdict=last[row.last_commit] if row.last_commit is not None else None,
            last_activity_at=max(
                (at for at in (row.job_moved_at, row.report_received_at) if at is not None), default=None
            ),
        )
        for row in rows
    ]
