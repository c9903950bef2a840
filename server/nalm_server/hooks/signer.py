# SPDX-License-Identifier: Apache-2.0
"""Whose delivery it is: the project one of whose secrets signed the raw body."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from sqlalchemy.orm import Session

from nalm_server.context import Context
from nalm_server.errors import BadSignatureError
from nalm_server.hooks.forges.claim import Claim, Forge
from nalm_server.projects import repository as projects
from nalm_server.projects.models import ProjectRow
from nalm_server.secrets_store import SecretBox
from nalm_server.watches import repository as watches

TRIED_AT_MOST = 20
"""Projects whose secrets are tried for a delivery that does not name its project."""


def signer(
    session: Session, context: Context, forge: Forge, claim: Claim, *, named: str | None, body: bytes
) -> ProjectRow:
    """Raises BadSignatureError. An unknown project and a wrong signature look the same, and take as long."""
    now = context.clock()
    candidates = _candidates(session, named)
    for project in candidates:
        if any(claim.signed_by(context.box.open(one), body, now) for one in _secrets(session, project, now)):
            return project
    if not candidates:
        claim.signed_by(context.box.open(_decoy(context.box)), body, now)
    raise BadSignatureError(
        f"The signature fits no project's secret, or came too late: set {forge.wants}, and name the project "
        "in the webhook's address (?project=NAME)."
    )


def _candidates(session: Session, named: str | None) -> list[ProjectRow]:
    if named is None:
        every = projects.list_all(session)
        return every if len(every) <= TRIED_AT_MOST else []
    found = projects.find(session, named)
    return [found] if found is not None else []


def _secrets(session: Session, project: ProjectRow, now: datetime) -> list[bytes]:
    """Sealed: the secret, and the one before it while both are taken."""
    watch = watches.find(session, project.id)
    if watch is None or watch.previous_secret is None or watch.previous_until is None:
        return [project.webhook_secret]
    overlap = [watch.previous_secret] if now < watch.previous_until else []
    return [project.webhook_secret, *overlap]


@lru_cache(maxsize=4)
def _decoy(box: SecretBox) -> bytes:
    return box.seal("nobody's")
