# SPDX-License-Identifier: Apache-2.0
"""Receives deliveries: checks the signature, stores one row, answers. tasks.py processes them."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record as record_audit
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.body_limits import require_values
from nalm_server.base.errors import BadRequestError, ConflictError, NotFoundError
from nalm_server.db.context import Context
from nalm_server.git.events import Nothing, about
from nalm_server.webhooks import repository
from nalm_server.webhooks.forges.claim import Claim, Forge, Headers, read_event
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.schemas import Delivery, DeliveryStatus, HookAnswer
from nalm_server.webhooks.signer import bad_signature, signer
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake

LONGEST_ID = 128
MOST_VALUES = 500_000
"""Maximum number of JSON values in a webhook's body."""
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Request:
    """As received, before any check."""

    project: str | None
    headers: Headers
    body: bytes


def require_signature(forge: Forge, headers: Headers) -> None:
    """Checks that there is a signature before the body is read. Raises BadSignatureError."""
    if not forge.claim(headers).signed:
        raise bad_signature(forge)


def take(context: Context, forge: Forge, request: Request) -> HookAnswer:
    """Raises BadSignatureError before the body is parsed."""
    claim = forge.claim(request.headers)
    with context.read_sessions() as session:
        project_id = signer(session, context, forge, claim, named=request.project, body=request.body)
    if claim.event is None:
        raise BadRequestError(
            f"The header that names the event is missing: does {forge.name} call this address?"
        )
    if request.headers.get("content-type", "").startswith(FORM):
        raise BadRequestError("The body is a form: set the webhook's content type to application/json.")
    require_values(request.body, MOST_VALUES)
    event = read_event(forge, claim.event, request.body)
    if isinstance(event, Nothing):
        return HookAnswer(status="ignored", reason=event.reason, delivery=None)
    with context.sessions() as session:
        answer = _store(
            session, context, forge, claim, project_id=project_id, about=about(event), body=request.body
        )
        session.commit()
    return answer


def _store(
    session: Session,
    context: Context,
    forge: Forge,
    claim: Claim,
    *,
    project_id: int,
    about: str | None,
    body: bytes,
) -> HookAnswer:
    identity, reason = _identity(claim, body), "accepted: it is being processed"
    number = repository.add(
        session,
        {
            "project_id": project_id,
            "forge": forge.name,
            "delivery": identity,
            "event": (claim.event or "change")[:64],
            "about": about,
            "received_at": context.clock(),
            "status": DeliveryStatus.RECEIVED,
            "reason": reason,
            "job_ids": [],
            "body": _packed(body),
            "attempts": 0,
            "next_at": context.clock(),
        },
    )
    if number is None:
        known = repository.lock_known(session, project_id, forge.name, identity)
        if known.status != DeliveryStatus.FAILED:
            reason = f"this delivery was accepted before: {known.reason}"
            return HookAnswer(status="ignored", reason=reason[:500], delivery=known.id)
        known.body = _packed(body)  # that of an old delivery is no longer stored
        _again(known, context)
        number, reason = known.id, known.reason
    wake(session, Work.DELIVERIES)
    return HookAnswer(status="accepted", reason=reason, delivery=number)


def _identity(claim: Claim, body: bytes) -> str:
    """The forge's id of the delivery; a digest if the id cannot be stored."""
    identity = claim.delivery or ""
    if 0 < len(identity) <= LONGEST_ID:
        return identity
    return "sha256:" + hashlib.sha256(identity.encode() or body).hexdigest()


def _packed(body: bytes) -> bytes:
    return zlib.compress(body, 1)


def _again(row: DeliveryRow, context: Context) -> None:
    row.status, row.reason = DeliveryStatus.RECEIVED, "taken again"
    row.attempts, row.next_at, row.worked_at = 0, context.clock(), None


def list_deliveries(
    session: Session,
    caller: Principal,
    project: str,
    *,
    status: DeliveryStatus | None,
    before: int | None,
    limit: int,
) -> list[Delivery]:
    found = require_project(session, caller, project, Role.MAINTAINER)
    return [_shown(row, kept) for row, kept in repository.page(session, found.id, status, before, limit)]


def redeliver(session: Session, context: Context, caller: Principal, project: str, number: int) -> Delivery:
    """Processes the stored delivery again; existing commits and jobs are reused."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    row = next(iter(repository.lock_all(session, [number])), None)
    if row is None or row.project_id != found.id:
        raise NotFoundError(f"Project {project!r} has no delivery {number}.")
    if row.body is None:
        raise ConflictError("The body of this delivery is no longer stored: send it again from the forge.")
    _again(row, context)
    record_audit(
        session, caller, "delivery.redeliver", f"delivery {number}", context.clock(), project_id=found.id
    )
    wake(session, Work.DELIVERIES)
    return _shown(row, kept=True)


def _shown(row: DeliveryRow, kept: bool) -> Delivery:
    fields = {name: getattr(row, name) for name in Delivery.model_fields if name != "kept"}
    return Delivery(kept=kept, **fields)
