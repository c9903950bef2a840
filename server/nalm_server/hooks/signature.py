# SPDX-License-Identifier: Apache-2.0
"""X-Hub-Signature-256: HMAC-SHA256 over the raw body (GitHub, "Validating webhook deliveries")."""

from __future__ import annotations

import hashlib
import hmac


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def fits(secret: str, body: bytes, signature: str | None) -> bool:
    """Compares in constant time. A missing signature never fits."""
    return hmac.compare_digest(sign(secret, body).encode(), (signature or "").encode("utf-8", "replace"))
