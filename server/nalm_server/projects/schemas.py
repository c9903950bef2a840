# SPDX-License-Identifier: Apache-2.0
"""Projects as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, PRINTABLE, REVISION, Flag, Schema
from nalm_server.git.configuration import MOST_BYTES
from nalm_server.results.schemas import VerdictBrief

Revision = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=REVISION)]


class ProblemKind(StrEnum):
    """Why nothing of a project is measured: the place of the problem."""

    REPOSITORY = "repository"
    BRANCH = "branch"
    CONFIGURATION = "configuration"
    HOSTS = "hosts"
    JOB = "job"
    """The newest job failed, and no run was judged so far."""


class Problem(Schema):
    kind: ProblemKind
    message: str
    """What is wrong, as sentences."""
    advice: str
    """The next step."""
    job_id: int | None = None
    """The job that shows it."""


class Project(Schema):
    name: str
    repository: str
    default_branch: str
    public: bool
    """Anyone may read it, without sign-in."""
    reference: str | None
    """SHA of the commit whose feature sets are the scale of NCPP; null: there is none."""
    commits: int
    """Number of known commits of the default branch."""
    jobs_open: int
    """Number of jobs queued or in progress."""
    alerts_open: int
    """Number of open alerts that were sent, without muted ones."""
    last_verdict: VerdictBrief | None
    """The most urgent of the newest measured commit, of equal ones the largest change, as lists show it."""
    last_activity_at: datetime | None
    repository_error: str | None
    """Why the last read of the repository failed; null: it succeeded, or there was none."""
    problems: list[Problem]
    """Why its commits are not measured; empty: nothing that the server knows of."""


ProjectsName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
Repository = Annotated[str, StringConstraints(min_length=1, max_length=512, pattern=PRINTABLE)]
Branch = Annotated[
    str, StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")
]


ConfigurationText = Annotated[
    str, StringConstraints(min_length=1, max_length=MOST_BYTES, pattern=r"^[^\x00]*$")
]


class ProjectNew(Schema):
    name: ProjectsName
    repository: Repository = Field(
        description="Address or path that git can clone from, as the agents reach it."
    )
    default_branch: Branch | None = Field(
        default="main", description="null: the branch of the repository's HEAD."
    )
    public: Flag = Field(default=False, description="Anyone may read it, without sign-in.")
    check_repository: Flag = Field(
        default=True,
        description="Refuse an address at which the server finds no such repository and branch. "
        "False: only the agents can reach it.",
    )


class ProjectSettings(Schema):
    """What a maintainer may change; fields that are left out keep their values."""

    name: ProjectsName | None = Field(
        default=None, description="Changes addresses, too. For administrators, while no job runs."
    )
    repository: Repository | None = Field(
        default=None, description="For administrators. Deletes the old repository's read token."
    )
    default_branch: Branch | None = Field(default=None, description="For administrators.")
    public: Flag | None = None
    reference: Revision | None = Field(
        default=None,
        description="The scale of NCPP: a commit, a tag or a watched branch as of now; null: none.",
    )


class Configuration(Schema):
    text: str | None
    """A nalm.toml that takes the place of every commit's own; null: each commit has its own."""
    sha256: str | None
    """Of the text; reports name it by this."""


class ConfigurationChange(Schema):
    text: ConfigurationText | None = Field(description="null: each commit has its own again.")


class ProjectCreated(Schema):
    """Shown once: the server keeps the secrets encrypted and hashed."""

    name: str
    repository: str
    default_branch: str
    webhook_url: str
    webhook_secret: str
    upload_token: str
