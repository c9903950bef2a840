# SPDX-License-Identifier: Apache-2.0
"""Connections to checked addresses only, each limited in time and size.

The name is resolved once, here, and the connection uses the checked address: a name server cannot change its
answer in between. TLS still verifies the name.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpcore

from nalm_server.base.outgoing.addresses import Address
from nalm_server.base.outgoing.allowed import Allowed

Resolve = Callable[[str, int], list[Address]]


def resolve(host: str, port: int) -> list[Address]:
    """The host's addresses, in the system's order. Raises OSError if there are none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(one[4][0]).partition("%")[0]) for one in found))


@dataclass(frozen=True)
class Limits:
    """Limits of one connection."""

    seconds: float
    bytes: int
    altogether_seconds: float = math.inf
    """Limit of all requests of a client, from its creation."""


@dataclass(frozen=True)
class Deadline:
    at: float
    """By time.monotonic."""
    seconds: float
    what: str

    def remaining(self, timeout: float | None, late: type[Exception]) -> float:
        """Seconds left for one step. Raises `late` if there are none."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise late(f"{self.what} took longer than {self.seconds:g} s")
        return left if timeout is None else min(left, timeout)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to allowed addresses. Without `allowed` (the operator's own proxy), to any."""

    def __init__(self, allowed: Allowed | None, limits: Limits, resolve: Resolve) -> None:
        self._allowed = allowed
        self._limits = limits
        self._resolve = resolve
        self._sockets = httpcore.SyncBackend()
        together = limits.altogether_seconds
        self._end = Deadline(time.monotonic() + together, together, "the whole request")

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        deadline = self._deadline()
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in self._addresses(host, port):
            wait = deadline.remaining(timeout, httpcore.ConnectTimeout)
            try:
                stream = self._sockets.connect_tcp(str(address), port, wait, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return LimitedStream(stream, deadline, self._limits)
        raise failure

    def _deadline(self) -> Deadline:
        own = Deadline(time.monotonic() + self._limits.seconds, self._limits.seconds, "it")
        return min(own, self._end, key=lambda one: one.at)

    def _addresses(self, host: str, port: int) -> list[Address]:
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} cannot be resolved: {error}") from error
        return found if self._allowed is None else self._allowed.choose(host, found)


class LimitedStream(httpcore.NetworkStream):
    """Ends a connection that takes too long or sends too much."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline, limits: Limits) -> None:
        self._stream = stream
        self._deadline = deadline
        self._limits = limits
        self._left = limits.bytes

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._deadline.remaining(timeout, httpcore.ReadTimeout))
        self._left -= len(data)
        if self._left < 0:
            raise httpcore.ReadError(f"more than {self._limits.bytes} bytes came back")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.remaining(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        wait = self._deadline.remaining(timeout, httpcore.ConnectTimeout)
        secured = self._stream.start_tls(ssl_context, server_hostname, wait)
        return LimitedStream(secured, self._deadline, self._limits)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
