# SPDX-License-Identifier: Apache-2.0
"""Table: feed_tokens."""

from __future__ import annotations

from nalm_server.auth.tokens.in_address import AddressToken
from nalm_server.db.engine import Base


class FeedTokenRow(AddressToken, Base):
    __tablename__ = "feed_tokens"
