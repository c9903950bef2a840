# SPDX-License-Identifier: Apache-2.0
"""Answers to forges, and deliveries as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from nalm_server.base.schemas import Schema


class DeliveryStatus(StrEnum):
    RECEIVED = "received"
    """Stored, waits for processing; the reason says why."""
    ACCEPTED = "accepted"
    """It led to jobs."""
    IGNORED = "ignored"
    """Processed; there was nothing to measure."""
    FAILED = "failed"
    """Given up. If the forge or `redeliver` sends it again, it is tried again."""


class HookAnswer(Schema):
    status: Literal["accepted", "ignored"]
    reason: str
    delivery: int | None
    """Number of the delivery on this server. Null: it was not stored."""


class Delivery(Schema):
    id: int
    forge: str
    delivery: str
    """The forge's id of the delivery."""
    event: str
    status: DeliveryStatus
    reason: str
    received_at: datetime
    worked_at: datetime | None
    attempts: int
    job_ids: list[int]
    kept: bool
    """The body is stored, so the delivery can be processed again."""
