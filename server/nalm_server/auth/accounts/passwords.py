# SPDX-License-Identifier: Apache-2.0
"""Passwords: Argon2id, a few at a time, in the same time for unknown accounts."""

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
"""Number of concurrent hashes: each takes 64 MiB of memory and much of a core."""
WAIT_SECONDS = 3.0


@contextmanager
def turn() -> Iterator[None]:
    """A permit to hash a password, so that a flood of sign-ins does not use up memory and threads.

    Raises BusyError if no permit is free within WAIT_SECONDS.
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
    """Takes the same time without a stored hash. Call it within `turn`."""
    try:
        matches = HASHER.verify(stored or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return matches and stored is not None


def is_outdated(stored: str) -> bool:
    """True if made with weaker parameters than the present ones."""
    return HASHER.check_needs_rehash(stored)


@cache
def _nobodys() -> str:
    """Hash of a random password, for unknown accounts."""
    return HASHER.hash(secrets.token_urlsafe(32))
