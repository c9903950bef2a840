# SPDX-License-Identifier: Apache-2.0
"""Outgoing calls never reach internal addresses, however an address is written or a name resolves."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_server.base import outgoing
from nalm_server.base.outgoing import Allowed, OutgoingRefusedError, network
from nalm_server.base.outgoing.addresses import is_world
from nalm_server.base.outgoing.cache import Remembered
from nalm_server.base.outgoing.network import Limits
from nalm_server.base.settings import Settings
from nalm_server_sockets import Reply, Seen, serving
from pydantic import ValidationError

INSIDE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "fec0::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2001:0:7f00:1::1",
    "2001:0:808:808::80ff:fffe",
]
WORLD = ["8.8.8.8", "140.82.121.4", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


def settings(allow: str = "", **given: Any) -> Settings:
    return Settings(outgoing_allow=allow, **given)


def resolver(*addresses: str) -> network.Resolve:
    return lambda _host, _port: [ip_address(one) for one in addresses]


@pytest.mark.parametrize("text", INSIDE)
def test_inside_addresses_are_refused(text: str) -> None:
    assert not is_world(ip_address(text))
    with pytest.raises(OutgoingRefusedError, match="NALM_OUTGOING_ALLOW"):
        outgoing.require_allowed("https://forge.example.org/x", settings(), resolve=resolver(text))


@pytest.mark.parametrize("text", WORLD)
def test_world_addresses_are_called(text: str) -> None:
    outgoing.require_allowed("https://forge.example.org/x", settings(), resolve=resolver(text))


@given(st.ip_addresses(v=4))
def test_wrapping_never_makes_an_inside_address_of_the_world(address: Any) -> None:
    mapped, translated = f"::ffff:{address}", ip_address(int(ip_address("64:ff9b::")) + int(address))
    assert is_world(ip_address(mapped)) == is_world(translated) == is_world(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:7f00:1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://localhost/",
        "http://LOCALHOST./",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://user:pass@8.8.8.8/",
        "https://",
        "gopher://x",
        "no address",
        "http://[::1",
    ],
)
def test_addresses_are_refused_however_they_are_written(url: str) -> None:
    with pytest.raises(OutgoingRefusedError):
        outgoing.require_allowed(url, settings())


@pytest.mark.parametrize("allow", ["127.0.0.0/8", "127.0.0.1", "forge.test", "*.test"])
def test_operator_opens_what_is_meant(allow: str) -> None:
    with serving(lambda _seen: Reply(body=b"hello")) as server:
        with outgoing.client(settings(allow), resolve=resolver("127.0.0.1")) as client:
            assert client.get(f"http://forge.test:{server.port}/").text == "hello"
        assert server.seen[0].headers["host"] == f"forge.test:{server.port}"


def test_without_leave_nothing_is_connected() -> None:
    with serving(lambda _seen: Reply()) as server:
        with (
            outgoing.client(settings("other.test,10.0.0.0/8")) as client,
            pytest.raises(OutgoingRefusedError),
        ):
            client.get(server.url)
        assert server.seen == []


@pytest.mark.parametrize("allow", ["a b", "10.0.0.0/33", "10.0.0.1/8", "http://x", "-"])
def test_wrong_setting_is_refused_at_start(allow: str) -> None:
    with pytest.raises(ValidationError, match="neither a host name"):
        settings(allow)


def test_name_that_changes_its_mind_gets_the_address_that_was_checked() -> None:
    answers = [["8.8.8.8"], ["127.0.0.1"]]
    requested: list[str] = []

    def rebinding(host: str, _port: int) -> list[network.Address]:
        requested.append(host)
        return [ip_address(one) for one in answers[len(requested) - 1]]

    outgoing.require_allowed("http://evil.test/", settings(), resolve=rebinding)
    with serving(lambda _seen: Reply()) as server:
        with outgoing.client(settings(), resolve=rebinding) as client, pytest.raises(OutgoingRefusedError):
            client.get(f"http://evil.test:{server.port}/")
        assert (len(requested), server.seen) == (2, [])


def test_inside_addresses_among_a_names_own_are_left_out() -> None:
    chosen = Allowed().choose("x", [ip_address("10.0.0.1"), ip_address("8.8.8.8")])
    assert chosen == [ip_address("8.8.8.8")]


def test_redirects_are_not_followed_and_proxies_of_the_environment_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        serving(lambda _seen: Reply()) as secret,
        serving(lambda _seen: Reply(302, headers={"Location": secret.url})) as server,
    ):
        monkeypatch.setenv("HTTP_PROXY", secret.url)
        with outgoing.client(settings("127.0.0.1")) as client:
            assert client.get(server.url).status_code == 302
        assert secret.seen == []


def test_operators_proxy_is_used() -> None:
    with serving(lambda _seen: Reply(body=b"through")) as proxy:
        made = settings(outgoing_proxy=proxy.url)
        with outgoing.client(made) as client:
            assert client.get("http://10.1.2.3/hook").text == "through"
        assert proxy.seen[0].path == "http://10.1.2.3/hook"


def _endless(_seen: Any) -> Reply:
    return Reply(body=b"x" * 100_000)


def _bomb(_seen: Any) -> Reply:
    return Reply(body=gzip.compress(b"x" * 10_000_000), headers={"Content-Encoding": "gzip"})


@pytest.mark.parametrize(
    ("answer", "limits", "error"),
    [
        (_endless, Limits(seconds=20, bytes=50_000), httpx.ReadError),
        (_bomb, Limits(seconds=20, bytes=50_000), httpx.DecodingError),
        (_endless, Limits(seconds=0, bytes=1 << 20), httpx.TimeoutException),
        (_endless, Limits(seconds=20, bytes=1 << 20, altogether_seconds=0), httpx.TimeoutException),
    ],
)
def test_answers_are_limited_in_size_and_time(
    answer: Callable[[Any], Reply], limits: Limits, error: type[Exception]
) -> None:
    with (
        serving(answer) as server,
        outgoing.client(settings("127.0.0.1"), limits=limits) as client,
        pytest.raises(error),
    ):
        client.get(server.url)


def test_what_is_remembered_is_of_one_address_and_one_token_and_bounded() -> None:
    requested: list[str | None] = []

    def answer(seen: Seen) -> Reply:
        requested.append(seen.headers.get("if-none-match"))
        if requested[-1] == '"1"':
            return Reply(304, b"")
        return Reply(body=seen.headers["authorization"].encode(), headers={"ETag": '"1"'})

    remembered = Remembered(most_bytes=30)
    with (
        serving(answer) as server,
        outgoing.client(settings("127.0.0.1"), remembered=remembered) as client,
    ):
        for token in ("a", "b", "a", "b", "c", "d", "a"):
            assert client.get(server.url, headers={"Authorization": token}).text == token
    assert requested == [None, None, '"1"', '"1"', None, None, None]


def test_unknown_names_say_so() -> None:
    def unknown(_host: str, _port: int) -> list[network.Address]:
        raise OSError("Name or service not known")

    with pytest.raises(OutgoingRefusedError, match="cannot be resolved"):
        outgoing.require_allowed("https://nowhere.test/", settings(), resolve=unknown)
    with outgoing.client(settings(), resolve=unknown) as client, pytest.raises(httpx.ConnectError):
        client.get("https://nowhere.test/")
