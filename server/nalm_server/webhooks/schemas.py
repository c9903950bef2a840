# SPDX-License-Identifier: Apache-2.0
"""Answers to forges, and deliveries as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from nalm_server.base.schemas import Schema


class DeliveryStatus(StrEnum):
    RECEIVED = "received"
    """Stored, to be worked on; the reason says why if it waits."""
    ACCEPTED = "accepted"
    """There are jobs of it."""
    IGNORED = "ignored"
    """Worked on; there was nothing to measure."""
    FAILED = "failed"
    """Given up. Sent again, by the forge or by `redeliver`, it is tried again."""


class HookAnswer(Schema):
    status: Literal["accepted", "ignored"]
    reason: str
    delivery: int | None
    """Its number here. Null: it was not stored."""


class Delivery(Schema):
    id: int
    forge: str
    delivery: str
    """The forge's id of it."""
    event: str
    status: DeliveryStatus
    reason: str
    received_at: datetime
    worked_at: datetime | None
    attempts: int
    job_ids: list[int]
    kept: bool
    """Its body is still stored, so that it can be worked on again."""
