# SPDX-License-Identifier: Apache-2.0
"""How often somebody may try to sign in: by account and address together, by each alone."""

from __future__ import annotations

import structlog
from limits import RateLimitItemPerMinute, storage, strategies
from limits.errors import StorageError

from nalm_server.errors import TooManyError

log = structlog.get_logger()

PAIR = RateLimitItemPerMinute(10, 5)
ACCOUNT = RateLimitItemPerMinute(100, 60)
"""Higher than what one address may: a stranger must not lock somebody out easily."""
ADDRESS = RateLimitItemPerMinute(60, 5)
WAIT_SECONDS = 300


class Attempts:
    """Counted in Redis when there is one, so that several servers count together; else in this process,
    as also while Redis is away."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._local = strategies.MovingWindowRateLimiter(storage.MemoryStorage())
        self._shared: strategies.MovingWindowRateLimiter | None = None
        if redis_url is not None:
            shared = storage.RedisStorage(redis_url, wrap_exceptions=True)
            self._shared = strategies.MovingWindowRateLimiter(shared)

    def count(self, account: str, address: str) -> None:
        """Raises TooManyError when this is one too many. Called before the password is looked at."""
        allowed = [
            self._hit(PAIR, "pair", account, address),
            self._hit(ACCOUNT, "account", account),
            self._hit(ADDRESS, "address", address),
        ]
        if not all(allowed):
            raise TooManyError(
                "Too many attempts to sign in: wait a few minutes, or ask an administrator for a link.",
                WAIT_SECONDS,
            )

    def _hit(self, limit: RateLimitItemPerMinute, *key: str) -> bool:
        if self._shared is not None:
            try:
                return self._shared.hit(limit, "sign-in", *key)
            except StorageError as error:
                log.warning("sign-in attempts are counted here: Redis is away", error=str(error))
        return self._local.hit(limit, *key)
