# SPDX-License-Identifier: Apache-2.0
"""The HTTP client for addresses that users enter, and the check of such an address."""

from __future__ import annotations

import ssl
from functools import cache
from typing import TYPE_CHECKING

import httpcore
import httpx

from nalm_server.base.admission import outside
from nalm_server.base.outgoing import network
from nalm_server.base.outgoing.allowed import Allowed, OutgoingRefusedError
from nalm_server.base.outgoing.cache import Conditional, Remembered
from nalm_server.base.outgoing.network import GuardedBackend, Limits, Resolve

if TYPE_CHECKING:  # the settings import `allowed`
    from nalm_server.base.settings import Settings

LIMITS = Limits(seconds=20.0, bytes=4 << 20, altogether_seconds=60.0)
CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 10.0
SCHEMES = {"https": 443, "http": 80}


@cache
def trusted() -> ssl.SSLContext:
    """The host's certificate authorities. Reading them takes longer than most calls."""
    return ssl.create_default_context()


class GuardedTransport(httpx.HTTPTransport):
    """httpx's transport, over checked and limited connections; each serves one request."""

    def __init__(self, settings: Settings, limits: Limits, resolve: Resolve) -> None:
        secure = trusted()
        super().__init__(verify=secure, trust_env=False)
        proxy = settings.outgoing_proxy
        backend = GuardedBackend(
            Allowed.parse(settings.outgoing_allow) if proxy is None else None, limits, resolve
        )
        self._pool: httpcore.ConnectionPool
        if proxy is None:
            self._pool = httpcore.ConnectionPool(
                ssl_context=secure, max_keepalive_connections=0, network_backend=backend
            )
        else:
            self._pool = httpcore.HTTPProxy(
                proxy, ssl_context=secure, max_keepalive_connections=0, network_backend=backend
            )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with outside():
            return super().handle_request(request)


def client(
    settings: Settings,
    *,
    limits: Limits = LIMITS,
    resolve: Resolve = network.resolve,
    remembered: Remembered | None = None,
) -> httpx.Client:
    """A client that calls no internal address, follows no redirect, and ignores proxies of the environment.

    `remembered`: cached answers.
    """
    guarded = GuardedTransport(settings, limits, resolve)
    return httpx.Client(
        transport=guarded if remembered is None else Conditional(guarded, remembered),
        timeout=httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
        headers={"User-Agent": "nalm", "Accept-Encoding": "identity"},
        event_hooks={"response": [_refuse_packed]},
        follow_redirects=False,
        trust_env=False,
    )


def _refuse_packed(response: httpx.Response) -> None:
    """A few bytes could decompress to gigabytes: the limit counts bytes on the wire."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise httpx.DecodingError(f"the answer has content encoding {encoding}, which was not requested")


def require_allowed(url: str, settings: Settings, *, resolve: Resolve = network.resolve) -> None:
    """Raises OutgoingRefusedError, with what to do, for an address that the server would not call."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise OutgoingRefusedError(f"{url[:200]!r} is no address: {error}.") from error
    if parsed.scheme not in SCHEMES or not parsed.host:
        raise OutgoingRefusedError(
            f"{url[:200]!r}: expected an address that begins with https:// or http://."
        )
    if parsed.userinfo:
        raise OutgoingRefusedError("The address contains a name or password: give them as the secret.")
    if settings.outgoing_proxy is not None:
        return  # the proxy resolves names, and may refuse them
    try:
        found = resolve(parsed.host, parsed.port or SCHEMES[parsed.scheme])
    except (OSError, UnicodeError) as error:
        raise OutgoingRefusedError(f"{parsed.host} cannot be resolved: {error}.") from error
    Allowed.parse(settings.outgoing_allow).choose(parsed.host, found)
