# SPDX-License-Identifier: Apache-2.0
"""A browser that signed in before: an encrypted cookie with the account and the browser's number.

It does not sign in. It keeps strangers' attempts from counting against the account's owner.
"""

from __future__ import annotations

import json
import secrets

from nalm_server.db.secrets import SecretBox, SecretKeyError

COOKIE = "device"
SECONDS = 365 * 24 * 3600


def issue(box: SecretBox, account: str) -> str:
    """A cookie for a new browser of the account."""
    return box.seal(json.dumps({"device": secrets.token_hex(16), "account": account})).decode()


def number_of(box: SecretBox, cookie: str | None, account: str) -> str | None:
    """The browser's number; None: no cookie, one of another account, or one that this server did not
    issue."""
    try:
        content = json.loads(box.open(cookie.encode())) if cookie else {}
    except (SecretKeyError, ValueError):
        return None
    return content.get("device") if content.get("account") == account else None
