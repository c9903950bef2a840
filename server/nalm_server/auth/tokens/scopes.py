# SPDX-License-Identifier: Apache-2.0
"""What a token is for, and the most its holder may do with it."""

from __future__ import annotations

from enum import StrEnum

from nalm_server.auth.access.roles import Role


class Scope(StrEnum):
    READ = "read"
    """Reads."""
    UPLOAD = "upload"
    """Reads, and uploads reports."""
    MEASURE = "measure"
    """Also asks for measurements and triages."""
    MAINTAIN = "maintain"
    """Also changes projects' settings, secrets, integrations and people."""
    ADMIN = "admin"
    """Everything, of the whole server."""
    AGENT = "agent"
    """Takes jobs and uploads their reports; nothing else."""


CEILING = {
    Scope.READ: Role.READER,
    Scope.UPLOAD: Role.READER,
    Scope.MEASURE: Role.DEVELOPER,
    Scope.MAINTAIN: Role.MAINTAINER,
    Scope.ADMIN: Role.ADMINISTRATOR,
}
"""The highest role a token of this scope has anywhere. An agent has none."""

UPLOADING = (Scope.UPLOAD, Scope.MEASURE, Scope.MAINTAIN, Scope.ADMIN)
"""Scopes that may upload reports which are of no job."""
