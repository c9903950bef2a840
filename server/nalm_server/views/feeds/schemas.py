# SPDX-License-Identifier: Apache-2.0
"""Feeds as the API shows them."""

from __future__ import annotations

from nalm_server.base.schemas import Schema


class FeedAddress(Schema):
    """Shown once: the server keeps the token's hash only."""

    url: str
