# SPDX-License-Identifier: Apache-2.0
"""Table: badge_tokens."""

from __future__ import annotations

from nalm_server.auth.tokens.in_address import AddressToken
from nalm_server.db.engine import Base


class BadgeTokenRow(AddressToken, Base):
    """Forges fetch pictures without headers. Readers of a README see it: it is not the feed's."""

    __tablename__ = "badge_tokens"
