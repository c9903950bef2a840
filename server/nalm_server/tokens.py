# SPDX-License-Identifier: Apache-2.0
"""Tokens: 256 random bits, shown once, stored as SHA-256 (a random key of that size needs no slow hash)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session


class Scope(StrEnum):
    ADMIN = "admin"
    UPLOAD = "upload"
    AGENT = "agent"


@dataclass(frozen=True)
class Principal:
    """Who calls. project_id: the only project an upload token is for; None for the others."""

    scope: Scope
    project_id: int | None


def authenticate(session: Session, token: str, scopes: tuple[Scope, ...]) -> Principal:
    raise AssertionError
