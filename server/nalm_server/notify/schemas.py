# SPDX-License-Identifier: Apache-2.0
"""Notifications as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from nalm_server.base.schemas import Schema


class NotificationKind(StrEnum):
    STATUS = "status"
    """A commit's status or check at a forge."""
    COMMENT = "comment"
    """The one comment on a pull request."""
    MESSAGE = "message"
    """A mail, a chat message or a webhook call."""


class NotificationState(StrEnum):
    WAITING = "waiting"
    """It is sent at next_try_at."""
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    """Refused, or out of tries: last_error says why."""
    UNSURE = "unsure"
    """It may have arrived: the answer was lost. The server does not send it again by itself."""


class Notification(Schema):
    id: int
    integration: str
    """Name of the integration."""
    kind: NotificationKind
    subject: str
    state: NotificationState
    tries: int
    next_try_at: datetime | None
    """Null: there is no further try."""
    last_error: str | None
    created_at: datetime
    updated_at: datetime
