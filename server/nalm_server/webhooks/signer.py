# SPDX-License-Identifier: Apache-2.0
"""Finds the project whose secret signed the raw body."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from sqlalchemy.orm import Session

from nalm_server.base.errors import BadSignatureError
from nalm_server.db.context import Context
from nalm_server.db.secrets import SecretBox
from nalm_server.webhooks.forges.claim import Claim, Forge
from nalm_server.webhooks.repository import Signer, signers

TRIED_AT_MOST = 20
"""Maximum number of projects whose secrets are tried for a delivery that does not name its project."""


def signer(
    session: Session, context: Context, forge: Forge, claim: Claim, *, named: str | None, body: bytes
) -> int:
    """Returns the project's number. Raises BadSignatureError.

    An unknown project and a wrong signature give the same answer after the same time.
    """
    now = context.clock()
    candidates = _candidates(session, named)
    for candidate in candidates:
        if any(claim.signed_by(_open(context.box, one), body, now) for one in _secrets(candidate, now)):
            return candidate.project_id
    if not candidates:
        claim.signed_by(_open(context.box, _decoy(context.box)), body, now)
    raise bad_signature(forge)


def bad_signature(forge: Forge) -> BadSignatureError:
    return BadSignatureError(
        f"The signature matches no project's secret, or is too old: set {forge.wants}, and name the project "
        "in the webhook's address (?project=NAME)."
    )


def _candidates(session: Session, named: str | None) -> list[Signer]:
    found = signers(session, named, TRIED_AT_MOST + 1)
    return found if len(found) <= TRIED_AT_MOST else []


def _secrets(signer: Signer, now: datetime) -> list[bytes]:
    """The secret, and the previous one while it is valid."""
    if signer.previous is None or signer.previous_until is None or now >= signer.previous_until:
        return [signer.secret]
    return [signer.secret, signer.previous]


@lru_cache(maxsize=256)
def _open(box: SecretBox, sealed: bytes) -> str:
    """Cached: the key that decrypts a secret is in memory as well."""
    return box.open(sealed)


@lru_cache(maxsize=4)
def _decoy(box: SecretBox) -> bytes:
    return box.seal("nobody's")
