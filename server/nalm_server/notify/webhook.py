# SPDX-License-Identifier: Apache-2.0
"""Signed webhooks by Standard Webhooks (standardwebhooks.com, symmetric signatures, v1)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

import httpx

from nalm_server.notify.failure import of_answer
from nalm_server.notify.messages import Message


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Covers id, time and body together, so that none of them can be replaced."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


@dataclass(frozen=True)
class Signed:
    headers: dict[str, str]
    body: bytes


def signed(secret: str, message: Message, number: int, now: datetime) -> Signed:
    """The id is the same for each try, so that a receiver can recognise repeats."""
    body = message.model_dump_json().encode()
    message_id, timestamp = f"nalm-{number}", int(now.timestamp())
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, timestamp, body),
    }
    return Signed(headers, body)


def send(client: httpx.Client, url: str, request: Signed) -> None:
    """Raises SendError, or the client's errors."""
    answer = client.post(url, content=request.body, headers=request.headers)
    if (error := of_answer(answer, httpx.URL(url).host)) is not None:
        raise error
