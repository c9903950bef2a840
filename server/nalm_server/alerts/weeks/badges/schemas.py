# SPDX-License-Identifier: Apache-2.0
"""Addresses of badges as the API shows them."""

from __future__ import annotations

from nalm_server.base.schemas import Schema


class BadgeAddress(Schema):
    """Shown once: the server keeps the token's hash only."""

    url: str
