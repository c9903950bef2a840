# SPDX-License-Identifier: Apache-2.0
"""The people of a project."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from nalm_server.auth.access.roles import Role
from nalm_server.base.schemas import Schema

ProjectRole = Literal[Role.READER, Role.DEVELOPER, Role.MAINTAINER]
"""Administrators belong to the server, not to a project."""


class Member(Schema):
    account: str
    role: Role
    since: datetime


class MemberRole(Schema):
    role: ProjectRole
