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
    """A mail, a chat message, a webhook."""


class NotificationState(StrEnum):
    WAITING = "waiting"
    """To be sent at next_try_at."""
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    """Refused, or tried too often: last_error says why."""
    UNSURE = "unsure"
    """It may have arrived: the answer was lost. It is not sent again by itself."""


class Notification(Schema):
    id: int
    integration: str
    """Its name."""
    kind: NotificationKind
    subject: str
    state: NotificationState
    tries: int
    next_try_at: datetime | None
    """None when nothing more is tried."""
    last_error: str | None
    created_at: datetime
    updated_at: datetime
