# SPDX-License-Identifier: Apache-2.0
"""The audit log as the API shows it."""

from __future__ import annotations

from datetime import datetime

from nalm_server.base.schemas import Schema


class AuditEntry(Schema):
    id: int
    at: datetime
    who: str
    action: str
    """`noun.verb`."""
    project: str | None
    subject: str
    detail: str | None
    request_id: str | None
    """As in X-Request-Id of the answer and in the server's log; null: a command or the server itself."""
