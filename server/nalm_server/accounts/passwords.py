# SPDX-License-Identifier: Apache-2.0
"""Passwords: Argon2id, a few at a time, and as slow for nobody as for somebody."""

from __future__ import annotations

import secrets
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

HASHER = PasswordHasher()
SHORTEST, LONGEST = 12, 256
AT_ONCE = BoundedSemaphore(2)
"""Each takes 64 MiB and tens of milliseconds of a core: a flood of sign-ins queues here."""


def hash_of(password: str) -> str:
    with AT_ONCE:
        return HASHER.hash(password)


def fits(stored: str | None, password: str) -> bool:
    """Takes as long when there is nothing stored."""
    with AT_ONCE:
        try:
            fitting = HASHER.verify(stored or _nobodys(), password)
        except (VerificationError, InvalidHashError):
            return False
    return fitting and stored is not None


def is_outdated(stored: str) -> bool:
    """Made with weaker parameters than now."""
    return HASHER.check_needs_rehash(stored)


@cache
def _nobodys() -> str:
    """Of a password that nobody knows."""
    return HASHER.hash(secrets.token_urlsafe(32))
