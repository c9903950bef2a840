# SPDX-License-Identifier: Apache-2.0
"""Signatures over the raw body, compared in constant time.

GitHub: "Validating webhook deliveries". Standard Webhooks 1.0: https://www.standardwebhooks.com.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

PREFIX = "sha256="
STANDARD_SECRET = "whsec_"
TOLERANCE_SECONDS = 300
"""Maximum difference between a standard webhook's time and this server's."""


def hexdigest(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def sign(secret: str, body: bytes) -> str:
    """The signature in GitHub's form."""
    return PREFIX + hexdigest(secret, body)


def same(expected: str, given: str | None) -> bool:
    """A missing text never matches."""
    return hmac.compare_digest(expected.encode(), (given or "").encode("utf-8", "replace"))


def verify_signature(secret: str, body: bytes, signature: str | None) -> bool:
    """True for GitHub's form of this secret's signature."""
    return same(sign(secret, body), signature)


def sign_standard(secret: str, identity: str, timestamp: str, body: bytes) -> str:
    """One signature in the form of Standard Webhooks."""
    message = f"{identity}.{timestamp}.".encode("utf-8", "replace") + body
    return (
        "v1," + base64.b64encode(hmac.new(_standard_key(secret), message, hashlib.sha256).digest()).decode()
    )


@dataclass(frozen=True)
class StandardHeaders:
    identity: str | None
    timestamp: str | None
    signatures: str | None


def fits_standard(secret: str, headers: StandardHeaders, body: bytes, now: datetime) -> bool:
    """True if one of the signatures is this secret's and the time is within the tolerance."""
    expected = sign_standard(secret, headers.identity or "", headers.timestamp or "", body)
    # Compares all of them, so that the time taken does not reveal which one matches.
    fitting = [same(expected, one) for one in (headers.signatures or "").split(" ")[:10]]
    return any(fitting) and bool(headers.identity) and _recent(headers.timestamp, now)


def _recent(timestamp: str | None, now: datetime) -> bool:
    if not timestamp or not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 15:
        return False
    return abs(now.timestamp() - int(timestamp)) <= TOLERANCE_SECONDS


def _standard_key(secret: str) -> bytes:
    """A secret of the standard's own form is base64; any other is used as its bytes."""
    if not secret.startswith(STANDARD_SECRET):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(STANDARD_SECRET), validate=True)
    except binascii.Error:
        return secret.encode()
