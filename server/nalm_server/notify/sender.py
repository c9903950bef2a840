# SPDX-License-Identifier: Apache-2.0
"""Sends one claimed notification, outside of any transaction."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nalm_server.base import outgoing
from nalm_server.db.context import Context
from nalm_server.notify import chat, mail, webhook
from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.forges.factory import make_forge
from nalm_server.notify.forges.protocol import Comment, Status
from nalm_server.notify.integrations.kinds import IntegrationKind
from nalm_server.notify.messages import Message


@dataclass(frozen=True)
class Recipient:
    """An integration with its secret decrypted."""

    kind: str
    config: dict[str, Any]
    secret: str | None


@dataclass(frozen=True)
class Claimed:
    """All that sending needs."""

    id: int
    requested: int
    tries: int
    to: Recipient
    what: Status | Comment | Message | None
    """None: nothing is left to send."""
    external_id: str | None
    sent_digest: str | None


@dataclass(frozen=True)
class Sent:
    external_id: str | None
    sent_digest: str | None


def send(context: Context, claimed: Claimed, now: datetime) -> Sent:
    """Raises SendError, or any other error."""
    what = claimed.what
    if what is None:
        return Sent(claimed.external_id, claimed.sent_digest)
    if isinstance(what, Message):
        send_message(context, claimed.to, what, claimed.id, now)
        return Sent(None, None)
    sent_digest = hashlib.sha256(repr(what).encode()).hexdigest()
    if sent_digest == claimed.sent_digest:
        return Sent(claimed.external_id, sent_digest)
    with outgoing.client(context.settings) as client:
        forge = make_forge(claimed.to.kind, claimed.to.config, claimed.to.secret, client)
        if isinstance(what, Status):
            return Sent(forge.set_status(what, claimed.external_id), sent_digest)
        return Sent(forge.write_comment(what, claimed.external_id), sent_digest)


def send_message(context: Context, to: Recipient, message: Message, number: int, now: datetime) -> None:
    """One try of one message; `number` makes its id, the same for each try."""
    kind, config, secret = to.kind, to.config, to.secret
    if kind == IntegrationKind.EMAIL:
        mail.send(context.settings, config["recipients"], message, number, now)
        return
    if secret is None:
        raise SendError("The integration has lost its secret: remove it and add it again.", Next.NEVER)
    with outgoing.client(context.settings) as client:
        if kind == IntegrationKind.CHAT:
            chat.send(client, secret, message)
        else:
            webhook.send(client, config["url"], webhook.signed(secret, message, number, now))
