# SPDX-License-Identifier: Apache-2.0
"""Feeds as the API makes them known."""

from __future__ import annotations

from nalm_server.base.schemas import Schema


class FeedAddress(Schema):
    """Shown once: the token in it is stored hashed."""

    url: str
