# SPDX-License-Identifier: Apache-2.0
"""Sends what is due: claimed in one transaction, composed and sent outside of it, marked in another.

If a sender dies in between, a status or comment is sent again, which changes nothing; a message may have
arrived, so the server does not send it again by itself.
"""

from __future__ import annotations

from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.base.settings import LOCAL_URL
from nalm_server.db.context import Context
from nalm_server.notify import backoff, repository
from nalm_server.notify.failure import Next, SendError, of_composing, of_exception
from nalm_server.notify.forges.current_state import comment_of, status_of
from nalm_server.notify.forges.protocol import Comment, Status
from nalm_server.notify.integrations import repository as integration_rows
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.messages import Message
from nalm_server.notify.models import NotificationRow
from nalm_server.notify.schemas import NotificationKind, NotificationState
from nalm_server.notify.sender import Claimed, Recipient, Sent, send

log = structlog.get_logger()

DIED = "The worker ended before it stored whether the message arrived. Send it again if it did not."


def drain(context: Context) -> None:
    """Sends everything that is due."""
    with context.sessions() as session:
        _settle_abandoned(session, context.clock())
        session.commit()
    while (claimed := _claim(context)) is not None:
        _deliver(context, *claimed)


def _settle_abandoned(session: Session, now: datetime) -> None:
    for row in repository.abandoned(session, now):
        repeatable = row.kind != NotificationKind.MESSAGE
        row.state = NotificationState.WAITING if repeatable else NotificationState.UNSURE
        row.last_error = None if repeatable else DIED
        repository.CLAIM.release(row)
        row.updated_at = now


def _claim(context: Context) -> tuple[NotificationRow, IntegrationRow] | None:
    """Only claims: an error would undo the claim, and the next one would be of the same row."""
    with context.sessions() as session:
        row = repository.claim(session, context.clock())
        if row is None:
            return None
        integration = integration_rows.get(session, row.integration_id)
        session.commit()
        return row, integration


def _composed(context: Context, row: NotificationRow, integration: IntegrationRow) -> Claimed:
    """Raises SendError."""
    try:
        secret = context.box.open(integration.secret) if integration.secret else None
        with context.read_sessions() as session:
            what = _what(session, row, context.settings.public_url or LOCAL_URL)
    except Exception as error:
        raise of_composing(error) from error
    return Claimed(
        id=row.id,
        requested=row.requested,
        tries=row.tries,
        to=Recipient(integration.kind, integration.config, secret),
        what=what,
        external_id=row.external_id,
        sent_digest=row.sent_digest,
    )


def _what(session: Session, row: NotificationRow, base_url: str) -> Status | Comment | Message | None:
    if row.kind == NotificationKind.MESSAGE:
        message = Message.model_validate(row.payload)
        return message.model_copy(update={"url": base_url + message.url})
    project = project_rows.get(session, row.project_id)
    if row.kind == NotificationKind.STATUS:
        return status_of(session, project, row.subject, base_url)
    return comment_of(session, project, int(row.subject), base_url)


def _deliver(context: Context, claimed: NotificationRow, integration: IntegrationRow) -> None:
    bound = {
        "notification_id": claimed.id,
        "integration": integration.kind,
        "request_id": claimed.request_id,
    }
    with structlog.contextvars.bound_contextvars(**bound):
        try:
            sent = send(context, _composed(context, claimed, integration), context.clock())
        except Exception as error:  # a failed one must not stop the others
            failed = of_exception(error, integration.kind)
            log.warning("not told", error=str(failed), next=failed.after, tries=claimed.tries)
            _mark(context, claimed, failed)
        else:
            log.info("told", tries=claimed.tries)
            _mark(context, claimed, sent)


def _mark(context: Context, claimed: NotificationRow, result: Sent | SendError) -> None:
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock(session, claimed.id)
        if row is None or row.state != NotificationState.SENDING or row.tries != claimed.tries:
            return  # its integration was removed, or it was given up meanwhile
        repository.CLAIM.release(row)
        row.updated_at = now
        if isinstance(result, Sent):
            row.external_id, row.sent_digest = result.external_id, result.sent_digest
            row.last_error = None
            row.state = NotificationState.SENT
        else:
            _failed(session, row, result, now)
        if row.requested != claimed.requested and row.kind != NotificationKind.MESSAGE:
            row.state, row.tries, row.next_try_at = NotificationState.WAITING, 0, now
        session.commit()


def _failed(session: Session, row: NotificationRow, error: SendError, now: datetime) -> None:
    row.last_error = str(error)[:1000]
    if error.after is Next.UNSURE:
        row.state = NotificationState.UNSURE
    elif error.after is Next.NEVER or backoff.RETRY.used_up(row.tries):
        row.state = NotificationState.FAILED
    else:
        row.state = NotificationState.WAITING
        row.next_try_at = now + backoff.before_next(row.tries, error.pause_seconds)
    if error.after is Next.AGAIN:
        pause = backoff.breath(error.pause_seconds)
        integration_rows.get(session, row.integration_id).paused_until = now + pause
