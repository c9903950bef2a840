# SPDX-License-Identifier: Apache-2.0
"""Rate limits, requests from other sites, proxies, and HTTPS."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.base.errors import TooManyError
from nalm_server.base.settings import Settings
from nalm_server.db import sign_in_attempts
from nalm_server.db.sign_in_attempts import Attempt, Attempts
from nalm_server_harness import AppClient

pytestmark = pytest.mark.dialects

HEALTH = "/api/v1/health"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Runs on SQLite only, because no test here depends on the database."""
    return sqlite_url


@pytest.fixture
def served(
    make_settings: Callable[..., Settings], request: pytest.FixtureRequest
) -> Callable[..., AppClient]:
    def serve(*, client: str = "192.0.2.1", **given: object) -> AppClient:
        context = make_context(make_settings(**given))
        request.addfinalizer(context.engine.dispose)
        return AppClient(make_app(context), client=(client, 1))

    return serve


def test_a_flood_gets_the_time_to_go_on_and_hooks_are_counted_apart(
    served: Callable[..., AppClient],
) -> None:
    client = served(rate_api=3)
    assert [client.get(HEALTH).status_code for _ in range(5)] == [200, 200, 200, 429, 429]
    refused = client.get(HEALTH)
    assert 1 <= int(refused.headers["Retry-After"]) <= 61
    assert refused.json()["error"]["name"] == "too_many"
    assert client.post("/api/v1/hooks/github", content=b"{}").status_code == 401
    assert client.get("/").status_code != 429


def test_many_tokens_of_one_address_are_bounded_together(served: Callable[..., AppClient]) -> None:
    client = served(rate_api=1)
    codes = [
        client.get(HEALTH, headers={"Authorization": f"Bearer {number}"}).status_code for number in range(12)
    ]
    assert codes == [200] * 10 + [429] * 2


def test_a_limit_of_0_is_none(served: Callable[..., AppClient]) -> None:
    client = served(rate_api=0)
    assert {client.get(HEALTH).status_code for _ in range(20)} == {200}


def test_other_sites_are_let_in_by_name_only_and_never_with_a_cookie(
    served: Callable[..., AppClient],
) -> None:
    requested = {"Origin": "https://wall.example", "Access-Control-Request-Method": "GET"}
    closed = served().options(HEALTH, headers=requested)
    assert "Access-Control-Allow-Origin" not in closed.headers
    opened = served(cors_origins="https://wall.example, https://b.example")
    answer = opened.options(HEALTH, headers=requested)
    assert answer.headers["Access-Control-Allow-Origin"] == "https://wall.example"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    other = opened.options(HEALTH, headers=requested | {"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers


def test_only_a_trusted_proxy_says_who_calls(served: Callable[..., AppClient]) -> None:
    """The rate limit shows it: it does not hold a caller who can choose an address."""
    for trusted, codes in (("", [200, 429, 429]), ("192.0.2.0/24", [200, 200, 200])):
        client = served(rate_api=1, trusted_proxies=trusted)
        sent = [{"X-Forwarded-For": f"198.51.100.{number}"} for number in range(3)]
        assert [client.get(HEALTH, headers=one).status_code for one in sent] == codes


def test_https_once_is_https_for_ever(served: Callable[..., AppClient]) -> None:
    header = "Strict-Transport-Security"
    assert header not in served().get(HEALTH).headers
    assert header in served(public_url="https://nalm.example.org").get(HEALTH).headers


def test_attempts_are_counted_here_while_redis_is_away() -> None:
    counting = Attempts("redis://127.0.0.1:1/0")
    attempt = Attempt("mona", "192.0.2.1")
    counting.require(attempt)
    for _ in range(sign_in_attempts.PAIR.amount):
        counting.count_refused(attempt)
    with pytest.raises(TooManyError):
        counting.require(attempt)
