# SPDX-License-Identifier: Apache-2.0
"""Limits refused sign-ins: by account and address together, by each alone, and by known browser.

Only refused attempts count. A browser that signed in before has a device cookie and is counted separately, so
that others' attempts do not lock its owner out (OWASP, "Slow Down Online Guessing Attacks with Device
Cookies").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import structlog
from limits import RateLimitItemPerMinute, storage, strategies
from limits.errors import StorageError

from nalm_server.base.errors import TooManyError

log = structlog.get_logger()

PAIR = RateLimitItemPerMinute(10, 5)
ACCOUNT = RateLimitItemPerMinute(100, 60)
ADDRESS = RateLimitItemPerMinute(60, 5)
DEVICE = RateLimitItemPerMinute(10, 5)
WAIT_SECONDS = 300

Limit = tuple[RateLimitItemPerMinute, tuple[str, ...]]
"""The limit, and the key under which attempts are counted."""


@dataclass(frozen=True)
class Attempt:
    """One try to sign in. `device`: the number of a browser that signed in to this account before."""

    account: str
    address: str
    device: str | None = None

    @property
    def limits(self) -> list[Limit]:
        if self.device is not None:
            return [(DEVICE, ("device", self.device))]
        return [
            (PAIR, ("pair", self.account, self.address)),
            (ACCOUNT, ("account", self.account)),
            (ADDRESS, ("address", self.address)),
        ]


class Attempts:
    """Counts in Redis if there is one, so that several servers count together; else, and while Redis is away,
    in this process."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._shared: strategies.MovingWindowRateLimiter | None = None
        if redis_url is not None:
            shared = storage.RedisStorage(redis_url, wrap_exceptions=True)
            self._shared = strategies.MovingWindowRateLimiter(shared)

    @cached_property
    def _local(self) -> strategies.MovingWindowRateLimiter:
        """Made at the first attempt: it starts a thread."""
        return strategies.MovingWindowRateLimiter(storage.MemoryStorage())

    def require(self, attempt: Attempt) -> None:
        """Raises TooManyError if too many such attempts were refused. Counts nothing."""
        if not all(self._test(limit, key) for limit, key in attempt.limits):
            raise TooManyError(
                "Too many refused attempts to sign in: wait a few minutes, use a browser that signed in "
                "before, or ask an administrator for a link.",
                WAIT_SECONDS,
            )

    def count_refused(self, attempt: Attempt) -> None:
        for limit, key in attempt.limits:
            self._hit(limit, key)

    def count_refused_link(self, address: str) -> None:
        """Raises TooManyError if the address has sent too many wrong links. Valid links are never refused:
        they cannot be guessed."""
        key = ("address", address)
        if not self._test(ADDRESS, key):
            raise TooManyError("Too many refused attempts to sign in: wait a few minutes.", WAIT_SECONDS)
        self._hit(ADDRESS, key)

    def _test(self, limit: RateLimitItemPerMinute, key: tuple[str, ...]) -> bool:
        return self._ask(lambda limiter: limiter.test(limit, "sign-in", *key))

    def _hit(self, limit: RateLimitItemPerMinute, key: tuple[str, ...]) -> bool:
        return self._ask(lambda limiter: limiter.hit(limit, "sign-in", *key))

    def _ask(self, question: Callable[[strategies.MovingWindowRateLimiter], bool]) -> bool:
        if self._shared is not None:
            try:
                return question(self._shared)
            except StorageError as error:
                log.warning("sign-in attempts are counted in this process: Redis is away", error=str(error))
        return question(self._local)
