# SPDX-License-Identifier: Apache-2.0
"""Scopes of tokens, and the highest role of each."""

from __future__ import annotations

from enum import StrEnum

from nalm_server.auth.access.roles import Role


class Scope(StrEnum):
    READ = "read"
    """Reads."""
    UPLOAD = "upload"
    """Reads, and uploads reports."""
    MEASURE = "measure"
    """Also requests measurements and triages."""
    MAINTAIN = "maintain"
    """Also changes projects' settings, secrets, integrations and people."""
    ADMIN = "admin"
    """Everything on the whole server."""
    AGENT = "agent"
    """Leases jobs and uploads their reports; nothing else."""


CEILING = {
    Scope.READ: Role.READER,
    Scope.UPLOAD: Role.READER,
    Scope.MEASURE: Role.DEVELOPER,
    Scope.MAINTAIN: Role.MAINTAINER,
    Scope.ADMIN: Role.ADMINISTRATOR,
}
"""The highest role of a token of this scope. An agent has none."""

UPLOADING = (Scope.UPLOAD, Scope.MEASURE, Scope.MAINTAIN, Scope.ADMIN)
"""Scopes that may upload reports without a job."""
