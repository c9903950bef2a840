# SPDX-License-Identifier: Apache-2.0
"""Projects as the API shows and takes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from nalm_server.runs.schemas import VerdictBrief
from nalm_server.schemas import NAME, Flag, Schema

PRINTABLE = r"^[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"


class Project(Schema):
    name: str
    repository: str
    default_branch: str
    public: bool
    """Anybody may read it, signed in or not."""
    commits: int
    """Commits known of the default branch."""
    jobs_open: int
    """Jobs queued or under way."""
    last_verdict: VerdictBrief | None
    last_activity_at: datetime | None


class ProjectNew(Schema):
    name: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
    repository: Annotated[str, StringConstraints(min_length=1, max_length=512, pattern=PRINTABLE)] = Field(
        description="Address or path that git can clone from, as the agents reach it."
    )
    default_branch: Annotated[
        str, StringConstraints(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")
    ] = "main"
    public: Flag = Field(default=False, description="Anybody may read it, signed in or not.")


class ProjectSettings(Schema):
    """What a maintainer may change; what is not given stays."""

    public: Flag | None = None


class ProjectCreated(Schema):
    """Shown once: the secrets are kept encrypted and hashed."""

    name: str
    repository: str
    default_branch: str
    webhook_url: str
    webhook_secret: str
    upload_token: str
