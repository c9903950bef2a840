# SPDX-License-Identifier: Apache-2.0
"""Branch filters as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from nalm_server.base.schemas import Flag, Schema, Whole
from nalm_server.git.branch_filters.filters import PATHS_IGNORE, ForkPullRequests, PushCommits

Glob = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x20\x7f]+$")]


class BranchFilterSettings(Schema):
    """What of a repository is measured. `*` in a glob also crosses `/`."""

    branches: Annotated[list[Glob], Field(min_length=1, max_length=50)] | None = None
    """Globs of branches. Null: the default branch."""
    paths_ignore: Annotated[list[Glob], Field(max_length=200, default_factory=lambda: list(PATHS_IGNORE))]
    """Globs of paths: a commit that touches nothing else is not measured."""
    push_commits: PushCommits = PushCommits.EACH
    fork_pull_requests: ForkPullRequests = ForkPullRequests.APPROVE
    measure_tags: Flag = False


class BranchFilterSettingsShown(BranchFilterSettings):
    has_read_token: bool
    previous_secret_until: datetime | None
    """Time until which the previous webhook secret is valid, too."""
    reconciled_at: datetime | None
    """Time of the last poll of the repository and its forge's pull requests."""
    reconcile_error: str | None
    """Why the last poll was incomplete."""


class SecretChange(Schema):
    secret: (
        Annotated[str, StringConstraints(min_length=16, max_length=256, pattern=r"^[\x21-\x7e]+$")] | None
    ) = None
    """A secret made by the forge (GitLab makes signing tokens: `whsec_...`). Null: the server makes one."""
    overlap_hours: Annotated[Whole, Field(ge=0, le=168)] = 24
    """Hours for which the present secret stays valid."""


class SecretChanged(Schema):
    webhook_secret: str
    """Shown once."""
    previous_until: datetime


class ReadToken(Schema):
    """Token with which the server reads the repository over HTTP. Stored encrypted, never shown."""

    user: Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x20\x7f:]+$")] = (
        "x-access-token"
    )
    token: Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=r"^[\x21-\x7e]+$")]
