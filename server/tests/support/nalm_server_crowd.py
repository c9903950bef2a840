# SPDX-License-Identifier: Apache-2.0
"""Many readers at once, each with a connection of its own, by a client that costs next to nothing."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reply:
    status: int
    retry_after: int | None
    name: str
    """Of the error; empty: none."""
    seconds: float


@dataclass
class Reader:
    """One request after the other, on one connection for as long as the server keeps it."""

    port: int
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, init=False)

    async def get(self, path: str, patience_seconds: float) -> Reply:
        """Raises TimeoutError."""
        begun = time.monotonic()
        async with asyncio.timeout(patience_seconds):
            try:
                status, headers, body = await self._exchange(path)
            except (ConnectionError, asyncio.IncompleteReadError):  # the server closed what was idle
                self.close()
                status, headers, body = await self._exchange(path)
        seconds = time.monotonic() - begun
        if headers.get("connection") == "close":
            self.close()
        name = "" if status < 400 else json.loads(body)["error"]["name"]
        retry_after = headers.get("retry-after")
        return Reply(status, None if retry_after is None else int(retry_after), name, seconds)

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None

    async def _exchange(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        body = await reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, body


async def read_for(
    port: int, paths: Sequence[str], readers: int, seconds: float, patience_seconds: float
) -> list[Reply]:
    """All replies to `readers` at once. A reader that gets Retry-After waits for so long."""
    ends = time.monotonic() + seconds
    replies: list[Reply] = []

    async def read(number: int) -> None:
        reader, turn = Reader(port), number
        while time.monotonic() < ends:
            reply = await reader.get(paths[turn % len(paths)], patience_seconds)
            replies.append(reply)
            turn += 1
            if reply.retry_after is not None:
                await asyncio.sleep(reply.retry_after)
        reader.close()

    await asyncio.gather(*(read(number) for number in range(readers)))
    return replies


class LiveWatch:
    """Asks /health/live ten times a second, in a thread, until the end of the `with`."""

    def __init__(self, port: int, patience_seconds: float) -> None:
        self._port, self._patience = port, patience_seconds
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.waits: list[float] = []
        """Seconds, each."""
        self.failures: list[str] = []

    def __enter__(self) -> LiveWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.1):
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._patience)
            begun = time.monotonic()
            try:
                connection.request("GET", "/api/v1/health/live")
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    self.failures.append(f"status {answer.status}")
            except OSError as error:
                self.failures.append(str(error))
            finally:
                connection.close()
            self.waits.append(time.monotonic() - begun)
