# SPDX-License-Identifier: Apache-2.0
"""A browser that signed in before: a sealed cookie names the account and the browser's number.

It signs nobody in. It only keeps the attempts of strangers from counting against the account's owner.
"""

from __future__ import annotations

import json
import secrets

from nalm_server.db.secrets import SecretBox, SecretKeyError

COOKIE = "device"
SECONDS = 365 * 24 * 3600


def issue(box: SecretBox, account: str) -> str:
    """The cookie of one more browser of the account."""
    return box.seal(json.dumps({"device": secrets.token_hex(16), "account": account})).decode()


def number_of(box: SecretBox, cookie: str | None, account: str) -> str | None:
    """The browser's number; None: no cookie, one of another account, or none that this server issued."""
    try:
        content = json.loads(box.open(cookie.encode())) if cookie else {}
    except (SecretKeyError, ValueError):
        return None
    return content.get("device") if content.get("account") == account else None
