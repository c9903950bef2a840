# SPDX-License-Identifier: Apache-2.0
"""Passwords: Argon2id, a few at a time, and as slow for nobody as for somebody."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from nalm_server.base.errors import BusyError

HASHER = PasswordHasher()
SHORTEST, LONGEST = 12, 256
AT_ONCE = BoundedSemaphore(2)
"""Each takes 64 MiB and tens of milliseconds of a core."""
WAIT_SECONDS = 3.0


@contextmanager
def turn() -> Iterator[None]:
    """Held while passwords are hashed, so that a flood of sign-ins takes neither memory nor threads.

    Raises BusyError when none of the few turns comes free within WAIT_SECONDS.
    """
    if not AT_ONCE.acquire(timeout=WAIT_SECONDS):
        raise BusyError("Too many people sign in at this moment: try again in a few seconds.")
    try:
        yield
    finally:
        AT_ONCE.release()


def hash_of(password: str) -> str:
    with turn():
        return HASHER.hash(password)


def verify(stored: str | None, password: str) -> bool:
    """Takes as long when nothing is stored. Call it within `turn`."""
    try:
        matches = HASHER.verify(stored or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return matches and stored is not None


def is_outdated(stored: str) -> bool:
    """Made with weaker parameters than now."""
    return HASHER.check_needs_rehash(stored)


@cache
def _nobodys() -> str:
    """Of a password that nobody knows."""
    return HASHER.hash(secrets.token_urlsafe(32))
