# SPDX-License-Identifier: Apache-2.0
"""Sign-in by GitHub's OAuth2, which does not support OpenID, against a stand-in over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest
from httpx import Response
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.auth.accounts.models import IdentityRow
from nalm_server.base.settings import Settings
from nalm_server.base.sign_in_providers import Provider
from nalm_server.db.context import Context
from nalm_server_github import FakeGithub
from nalm_server_harness import AppClient, Clock
from nalm_server_sockets import Loopback, serving
from sqlalchemy import select

SIGN_IN = "/api/v1/sign-in/hub"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Runs on SQLite only, because no test here depends on the database."""
    return sqlite_url


@dataclass
class Way:
    """A browser between the server and GitHub."""

    github: FakeGithub
    at: Loopback
    context: Context
    client: AppClient

    def start(self) -> dict[str, str]:
        sent = self.client.get(f"{SIGN_IN}/start", follow_redirects=False)
        assert sent.headers["Location"].startswith(f"{self.at.url}/login/oauth/authorize?")
        return dict(parse_qsl(urlsplit(sent.headers["Location"]).query))

    def back(self, requested: dict[str, str], **changed: str) -> Response:
        params = {"state": requested["state"], "code": self.github.authorize(requested)} | changed
        return self.client.get(f"{SIGN_IN}/callback", params=params, follow_redirects=False)


@pytest.fixture
def way(make_settings: Callable[..., Settings], request: pytest.FixtureRequest) -> Iterator[Way]:
    github = FakeGithub()
    with serving(github) as at:
        one = {"kind": "github", "issuer": at.url, "client_id": "nalm", "client_secret": "s" * 32}
        one |= {"groups": getattr(request, "param", [])}
        context = make_context(make_settings(sign_in={"hub": one}), Clock())
        yield Way(github, at, context, AppClient(make_app(context)))
        context.engine.dispose()


def test_an_account_is_tied_to_the_number_not_to_the_login(way: Way) -> None:
    assert way.back(way.start()).status_code == 303
    assert way.client.get("/api/v1/session").json()["name"] == "mona"
    way.client.cookies.clear()
    way.github.user = {"id": 7, "login": "renamed"}
    assert way.back(way.start()).status_code == 303
    assert way.client.get("/api/v1/session").json()["name"] == "mona"
    way.github.user = {"id": 8, "login": "Mona"}
    way.client.cookies.clear()
    assert way.back(way.start()).status_code == 303
    assert way.client.get("/api/v1/session").json()["name"] == "mona-2"
    with way.context.read_sessions() as session:
        tied = [(one.issuer, one.subject) for one in session.scalars(select(IdentityRow))]
    assert tied == [(way.at.url, "7"), (way.at.url, "8")]


def test_a_code_that_does_not_fit_is_refused(way: Way) -> None:
    requested = way.start()
    assert (requested["code_challenge_method"], "scope" in requested) == ("S256", False)
    assert way.back(requested, code="guess").status_code == 401
    assert way.back(requested, state="another").status_code == 401
    foreign = way.github.authorize(requested | {"code_challenge": "another browser's"})
    assert way.back(requested, code=foreign).status_code == 401
    assert way.client.get("/api/v1/session").json()["name"] is None


@pytest.mark.parametrize("way", [["nf-team"]], indirect=True)
def test_only_members_of_an_organisation_where_the_operator_says_so(way: Way) -> None:
    requested = way.start()
    assert requested["scope"] == "read:org"
    assert way.back(requested).status_code == 403
    way.github.orgs = ["other", "nf-team"]
    assert way.back(way.start()).status_code == 303


def test_github_itself_needs_no_address() -> None:
    plain = Provider.model_validate({"kind": "github", "client_id": "a", "client_secret": "b"})
    assert (plain.github, plain.github_api) == ("https://github.com", "https://api.github.com")
