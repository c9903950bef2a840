# SPDX-License-Identifier: Apache-2.0
"""Sign-in by OpenID Connect, against a provider over HTTP: the valid sign-in, and invalid ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from httpx import Response
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.auth.accounts.models import AccountRow, IdentityRow
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server_harness import AppClient, Clock
from nalm_server_oidc import Provider, serving
from pydantic import ValidationError
from sqlalchemy import func, select
from tiers import by_night

SIGN_IN = "/api/v1/sign-in/forge"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Runs on SQLite only, because no test here depends on the database."""
    return sqlite_url


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with serving(Provider(int(Clock().now.timestamp()))) as made:
        yield made


@dataclass
class Way:
    """A browser between the server and the provider."""

    provider: Provider
    context: Context
    client: AppClient

    def start(self, **params: str) -> dict[str, str]:
        sent = self.client.get(f"{SIGN_IN}/start", params=params, follow_redirects=False)
        assert sent.status_code == 303, sent.text
        assert sent.headers["Location"].startswith(f"{self.provider.issuer}/authorization_endpoint?")
        return dict(parse_qsl(urlsplit(sent.headers["Location"]).query))

    def back(self, requested: dict[str, str], **changed: str) -> Response:
        params = {"state": requested["state"], "code": self.provider.authorize(requested)} | changed
        return self.client.get(f"{SIGN_IN}/callback", params=params, follow_redirects=False)

    def who(self) -> Any:
        return self.client.get("/api/v1/session").json()


@pytest.fixture
def way(
    provider: Provider, make_settings: Callable[..., Settings], request: pytest.FixtureRequest
) -> Iterator[Way]:
    groups = getattr(request, "param", [])
    one = {"issuer": provider.issuer, "client_id": "nalm", "client_secret": "s" * 32, "groups": groups}
    context = make_context(make_settings(sign_in={"forge": one}), Clock())
    yield Way(provider, context, AppClient(make_app(context)))
    provider.wrong, provider.forged = {}, False
    context.engine.dispose()


def test_the_first_time_makes_an_account_without_any_role_the_next_time_finds_it(way: Way) -> None:
    requested = way.start()
    assert (requested["code_challenge_method"], requested["scope"]) == ("S256", "openid profile")
    assert way.back(requested).status_code == 303
    who = way.who()
    assert (who["name"], who["roles"], who["administrator"]) == ("mona", [], False)
    way.client.cookies.clear()
    way.provider.wrong = {"preferred_username": "renamed"}
    assert way.back(way.start()).status_code == 303
    assert way.who()["name"] == "mona", "by subject, whatever the name is now"


def test_an_account_of_the_same_name_is_somebody_else(way: Way) -> None:
    with way.context.sessions() as session:
        session.add(AccountRow(name="mona", administrator=True, created_at=way.context.clock()))
        session.commit()
    assert way.back(way.start()).status_code == 303
    assert (way.who()["name"], way.who()["administrator"]) == ("mona-2", False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "another"},
        {"iss": "https://evil.example"},
        {"aud": "another-client"},
        {"exp": 1},
        {"sub": None},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_claim_that_does_not_fit_is_refused(way: Way, wrong: dict[str, Any]) -> None:
    requested = way.start()
    way.provider.wrong = wrong
    assert way.back(requested).status_code == 401
    with way.context.read_sessions() as session:
        assert session.scalar(select(func.count()).select_from(IdentityRow)) == 0


def test_a_token_signed_with_the_public_key_is_refused(way: Way) -> None:
    way.provider.forged = True
    assert way.back(way.start()).status_code == 401


def test_state_code_and_browser_must_be_those_that_were_sent(way: Way) -> None:
    requested = way.start()
    assert way.back(requested, state="another").status_code == 401
    assert way.back(requested, code="guess").status_code == 401
    code = way.provider.authorize(requested)
    cookies = dict(way.client.cookies)
    assert way.back(requested, code=code).status_code == 303
    assert way.back(requested, code=code).status_code == 401, "the cookie of the way is gone"
    way.client.cookies.update(cookies)
    assert way.back(requested, code=code).status_code == 401, "and the provider takes a code once"
    way.client.cookies.clear()
    assert way.back(requested).status_code == 401, "another browser"


def test_whoever_takes_too_long_begins_again(way: Way) -> None:
    requested = way.start()
    clock = way.context.clock
    assert isinstance(clock, Clock)
    clock.pass_seconds(601)
    assert way.back(requested).status_code == 401


@pytest.mark.parametrize(
    ("to", "shown"),
    [
        ("/p/demo/history?scenario=sfc_a&metric=cpp#top", "/p/demo/history?scenario=sfc_a&metric=cpp#top"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/p\r\nSet-Cookie: a=b", "/"),
        ("/api/v1/sign-in/forge/start", "/"),
        *by_night(
            ("/", "/"),
            ("//evil.example", "/"),
            ("\\/evil.example", "/"),
            ("javascript:alert(1)", "/"),
            ("p/demo", "/"),
            ("/sign-in?to=/sign-in", "/"),
        ),
    ],
)
def test_the_way_back_leads_to_the_page_requested_and_to_no_other_server(
    way: Way, to: str, shown: str
) -> None:
    assert way.back(way.start(to=to)).headers["Location"] == shown


def test_a_way_that_began_before_an_update_leads_to_the_first_page(way: Way) -> None:
    requested = way.start(to="/p/demo")
    (cookie,) = (one for one in way.client.cookies.jar if "way" in one.name and one.value)
    reported = json.loads(way.context.box.open(str(cookie.value).encode()))
    del reported["to"]
    cookie.value = way.context.box.seal(json.dumps(reported)).decode()
    assert way.back(requested).headers["Location"] == "/"


@pytest.mark.parametrize("way", [["nf-team"]], indirect=True)
def test_only_members_of_a_group_where_the_operator_says_so(way: Way) -> None:
    for groups, status in ((None, 403), ([], 403), ("nf-team", 403), (["other", "nf-team"], 303)):
        requested = way.start()
        way.provider.wrong = {"groups": groups}
        assert way.back(requested).status_code == status, groups


def test_wrong_settings_are_found_at_the_start(make_settings: Callable[..., Settings]) -> None:
    for one in ({"client_id": "a", "client_secret": "b"}, {"kind": "github", "issuer": "x"}):
        with pytest.raises(ValidationError):
            make_settings(sign_in={"forge": one})
