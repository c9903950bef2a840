# SPDX-License-Identifier: Apache-2.0
"""Tokens in addresses, for readers that send no headers: each opens one thing of one project alone."""

from __future__ import annotations

import hmac
from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.auth.tokens.service import digest_of, new_secret
from nalm_server.db.engine import UtcDateTime


class AddressToken:
    """The columns of a table of such tokens, one for each project."""

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


def opens(row: AddressToken | None, token: str | None) -> bool:
    return row is not None and token is not None and hmac.compare_digest(row.digest, digest_of(token))


def renew(row: AddressToken, now: datetime) -> str:
    """Gives it a new token, which is returned; the previous one becomes invalid."""
    token = new_secret()
    row.digest, row.created_at = digest_of(token), now
    return token
