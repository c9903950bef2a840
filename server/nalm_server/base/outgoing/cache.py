# SPDX-License-Identifier: Apache-2.0
"""Caches answers of polled APIs: unchanged answers are not sent again.

RFC 9110, 13. At GitHub such an answer (304) does not count against the rate limit.
"""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections import OrderedDict
from dataclasses import dataclass

import httpx

MOST_BYTES = 64 << 20
SECRETS = ("authorization", "private-token")


@dataclass(frozen=True)
class Answer:
    etag: str
    headers: httpx.Headers
    packed: bytes


class Remembered:
    """In this process's memory, compressed; drops the least recently used."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._answers: OrderedDict[bytes, Answer] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, key: bytes) -> Answer | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def keep(self, key: bytes, answer: Answer) -> None:
        with self._lock:
            before = self._answers.pop(key, None)
            self._bytes += len(answer.packed) - (len(before.packed) if before else 0)
            self._answers[key] = answer
            while self._bytes > self._most_bytes:
                _, oldest = self._answers.popitem(last=False)
                self._bytes -= len(oldest.packed)


class Conditional(httpx.BaseTransport):
    """Revalidates cached answers; callers see no difference."""

    def __init__(self, inner: httpx.BaseTransport, remembered: Remembered) -> None:
        self._inner, self._remembered = inner, remembered

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            return self._inner.handle_request(request)
        key = _key(request)
        known = self._remembered.find(key)
        if known is not None:
            request.headers["If-None-Match"] = known.etag
        response = self._inner.handle_request(request)
        if known is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            response.close()
            return httpx.Response(200, headers=known.headers, content=zlib.decompress(known.packed))
        etag = response.headers.get("etag")
        if etag and response.status_code == httpx.codes.OK and "content-encoding" not in response.headers:
            self._remembered.keep(key, Answer(etag, response.headers, zlib.compress(response.read())))
        return response

    def close(self) -> None:
        self._inner.close()


def _key(request: httpx.Request) -> bytes:
    """Answers to one token are never used for another."""
    secrets = [request.headers.get(name, "") for name in SECRETS]
    return hashlib.sha256("\n".join([str(request.url), *secrets]).encode()).digest()
