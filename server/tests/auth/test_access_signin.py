# SPDX-License-Identifier: Apache-2.0
"""Sign-in by link and password, sessions, and people's own tokens; refusals, and that they look alike."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import pytest
from argon2 import PasswordHasher, Type, extract_parameters
from nalm_server.app.application import make_app
from nalm_server.app.embedded.first_tokens import FIRST_LINK, make_first_tokens
from nalm_server.auth.accounts import passwords
from nalm_server.auth.accounts.passwords import hash_of, turn, verify
from nalm_server.db import sign_in_attempts
from nalm_server_harness import AppClient, Clock, Service

PASSWORD = "correct horse battery"
API = "/api/v1"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Runs on SQLite only: no test here depends on the database; the matrix's tables are tested on both."""
    return sqlite_url


class Browser:
    """Keeps cookies, and sends the CSRF token with each write."""

    def __init__(self, service: Service, address: str = "192.0.2.1") -> None:
        self.client = AppClient(make_app(service.context), client=(address, 1))
        self.csrf = ""

    def ask(self, method: str, path: str, status: int, json: Any = None, **headers: str) -> Any:
        sent = {"X-CSRF-Token": self.csrf} | headers
        answer = self.client.request(method, f"{API}{path}", json=json, headers=sent)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def sign_in(self, **reported: str) -> Any:
        who = self.ask("POST", "/session", 200, reported)
        self.csrf = who["csrf"]
        return who


def invited(service: Service, name: str = "mona", *, administrator: bool = False) -> str:
    """Returns the secret of a new account's sign-in link."""
    new = {"name": name, "administrator": administrator}
    made = service.request("POST", "/accounts", "admin", 201, json=new)
    return str(made["link"].partition("#link=")[2])


def member(service: Service, role: str = "developer") -> Browser:
    """Signs Mona in, with a password and a role in the project."""
    browser = Browser(service)
    browser.sign_in(link=invited(service))
    browser.ask("PUT", "/session/password", 204, {"new": PASSWORD})
    service.request("PUT", "/projects/demo/people/mona", "admin", json={"role": role})
    return browser


def test_from_invitation_to_password_to_signing_out(service: Service) -> None:
    link = invited(service)
    browser = Browser(service)
    who = browser.sign_in(link=link)
    assert (who["name"], who["by_link"], who["roles"]) == ("mona", True, [])
    browser.ask("PUT", "/session/password", 204, {"new": PASSWORD})
    assert not browser.ask("GET", "/session", 200)["by_link"]
    browser.ask("PUT", "/session/password", 403, {"new": PASSWORD + "!"})
    cookie = dict(browser.client.cookies)
    browser.ask("DELETE", "/session", 204)
    assert browser.ask("GET", "/session", 200)["name"] is None
    browser.client.cookies.update(cookie)
    assert browser.ask("GET", "/session", 200)["name"] is None, "the session is gone, not only its cookie"
    assert browser.sign_in(name="Mona", password=PASSWORD)["name"] == "mona"
    entries = service.request("GET", "/audit", "admin")
    assert all(len(one["request_id"]) == 32 for one in entries), "where the server's log tells the rest"
    said = [one["action"] for one in entries]
    assert said[:3] == ["session.begin", "session.end", "account.password"]


def test_a_server_nobody_has_signed_in_at_says_so_to_strangers(service: Service) -> None:
    assert Browser(service).ask("GET", "/session", 200)["new_server"]
    assert not service.request("GET", "/session", "admin")["new_server"]
    Browser(service).sign_in(link=invited(service))
    assert not Browser(service).ask("GET", "/session", 200)["new_server"]


def test_a_link_works_once_and_not_for_ever(service: Service, clock: Clock) -> None:
    link = invited(service)
    Browser(service).sign_in(link=link)
    Browser(service).ask("POST", "/session", 401, {"link": link})
    old = invited(service, "lisa")
    clock.pass_seconds(3 * 86400)
    Browser(service).ask("POST", "/session", 401, {"link": old})


def test_the_first_link_is_in_no_log(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output that is not a terminal goes to a journal or a container's log."""
    make_first_tokens(service.context)
    printed = capsys.readouterr().out
    path = service.context.settings.state_dir / FIRST_LINK
    assert str(path) in printed
    assert "#link=" not in printed
    assert path.stat().st_mode & 0o777 == 0o600
    link = path.read_text().strip().partition("#link=")[2]
    make_first_tokens(service.context)
    Browser(service).ask("POST", "/session", 401, {"link": link})
    Browser(service).sign_in(link=path.read_text().strip().partition("#link=")[2])
    make_first_tokens(service.context)
    assert not path.exists(), "an administrator has signed in"


def test_the_first_link_is_shown_at_a_terminal(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    make_first_tokens(service.context)
    assert "#link=" in capsys.readouterr().out
    assert not (service.context.settings.state_dir / FIRST_LINK).exists()


def test_wrong_password_and_unknown_name_look_alike(service: Service) -> None:
    member(service)
    refused = [
        Browser(service).ask("POST", "/session", 401, {"name": name, "password": "wrong" * 4})["error"]
        for name in ("mona", "nobody")
    ]
    assert refused[0]["message"] == refused[1]["message"]
    with turn():
        assert not verify(None, PASSWORD), "takes the same way as somebody's"
    stored = hash_of(PASSWORD)
    assert verify(stored, PASSWORD)


def test_attempts_are_limited_even_with_the_right_password(service: Service) -> None:
    member(service)
    for _ in range(sign_in_attempts.PAIR.amount):
        Browser(service).ask("POST", "/session", 401, {"name": "mona", "password": "wrong"})
    reported = {"name": "mona", "password": PASSWORD}
    answer = Browser(service).client.post(f"{API}/session", json=reported)
    assert (answer.status_code, answer.json()["error"]["name"]) == (429, "too_many")
    assert int(answer.headers["Retry-After"]) > 0


def flood(service: Service, sent: dict[str, str], times: int, *, network: str) -> None:
    """Sends attempts that are refused, a few from each of many addresses."""
    for number in range(times):
        client = AppClient(make_app(service.context), client=(f"{network}.{number // 5}", 1))
        assert client.post(f"{API}/session", json=sent).status_code in (401, 429)


@pytest.mark.nightly
def test_bad_links_of_strangers_keep_nobody_out(service: Service) -> None:
    link = invited(service)
    flood(service, {"link": "bogus"}, sign_in_attempts.ACCOUNT.amount + 10, network="198.51.100")
    assert Browser(service).sign_in(link=link)["name"] == "mona"


def test_bad_links_of_one_address_are_limited_and_a_good_one_is_taken_all_the_same(service: Service) -> None:
    link = invited(service)
    for _ in range(sign_in_attempts.ADDRESS.amount):
        Browser(service).ask("POST", "/session", 401, {"link": "bogus"})
    Browser(service).ask("POST", "/session", 429, {"link": "bogus"})
    assert Browser(service).sign_in(link=link)["name"] == "mona"


@pytest.mark.nightly
def test_bad_passwords_of_strangers_do_not_keep_out_a_browser_that_signed_in_before(service: Service) -> None:
    browser = member(service)
    browser.ask("DELETE", "/session", 204)
    wrong = {"name": "mona", "password": "wrong" * 4}
    flood(service, wrong, sign_in_attempts.ACCOUNT.amount, network="198.51.100")
    right = {"name": "mona", "password": PASSWORD}
    Browser(service, "203.0.113.1").ask("POST", "/session", 429, right)
    assert browser.sign_in(**right)["name"] == "mona"


def test_a_known_browser_is_limited_too_and_known_for_its_own_account_only(service: Service) -> None:
    browser = member(service)
    browser.ask("DELETE", "/session", 204)
    for _ in range(sign_in_attempts.DEVICE.amount):
        browser.ask("POST", "/session", 401, {"name": "mona", "password": "wrong" * 4})
    browser.ask("POST", "/session", 429, {"name": "mona", "password": PASSWORD})
    other = Browser(service)
    other.sign_in(link=invited(service, "lisa"))
    other.ask("PUT", "/session/password", 204, {"new": PASSWORD})
    other.ask("DELETE", "/session", 204)
    for _ in range(sign_in_attempts.PAIR.amount):
        other.ask("POST", "/session", 401, {"name": "mona", "password": "wrong" * 4})
    other.ask("POST", "/session", 429, {"name": "mona", "password": PASSWORD})
    assert other.sign_in(name="lisa", password=PASSWORD)["name"] == "lisa"


@pytest.mark.parametrize("forged", ["", "nonsense", "gAAAAABn"])
def test_a_made_up_device_cookie_is_not_accepted(service: Service, forged: str) -> None:
    member(service)
    browser = Browser(service)
    browser.client.cookies.set("nalm-device", forged)
    for _ in range(sign_in_attempts.PAIR.amount):
        browser.ask("POST", "/session", 401, {"name": "mona", "password": "wrong" * 4})
    browser.ask("POST", "/session", 429, {"name": "mona", "password": PASSWORD})


def test_good_sign_ins_are_not_counted(service: Service) -> None:
    member(service)
    for _ in range(sign_in_attempts.PAIR.amount + 1):
        Browser(service).sign_in(name="mona", password=PASSWORD)


def test_passwords_are_hashed_as_rfc_9106_recommends(production_hasher: PasswordHasher) -> None:
    """Section 4, for hosts with little memory: 64 MiB, three passes, four lanes. OWASP requires less."""
    stored = extract_parameters(production_hasher.hash(PASSWORD))
    assert stored.type is Type.ID
    assert stored.memory_cost >= 64 * 1024
    assert stored.time_cost >= 3
    assert stored.parallelism >= 4
    assert stored.salt_len >= 16
    assert stored.hash_len >= 32


def test_passwords_that_wait_too_long_are_answered_busy(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    member(service)
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    with ExitStack() as turns:
        for _ in range(2):
            turns.enter_context(turn())
        answer = Browser(service).ask("POST", "/session", 503, {"name": "mona", "password": PASSWORD})
    assert answer["error"]["name"] == "busy"


def test_writes_by_cookie_need_the_token_that_other_sites_cannot_read(service: Service) -> None:
    browser = member(service, "maintainer")
    for csrf in ("", "0" * 64):
        browser.ask("PATCH", "/projects/demo", 403, {"public": True}, **{"X-CSRF-Token": csrf})
    browser.ask("PATCH", "/projects/demo", 200, {"public": True})
    reported = {"name": "mona", "password": PASSWORD}
    for foreign in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        Browser(service).ask("POST", "/session", 403, reported, **foreign)


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_is_out_of_reach(service: Service, secure: bool) -> None:
    client = AppClient(
        make_app(service.context), base_url="https://testserver" if secure else "http://testserver"
    )
    answer = client.post(f"{API}/session", json={"link": invited(service)})
    cookie = answer.headers["Set-Cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=lax", "Path=/"))
    assert ("Secure" in cookie, cookie.startswith("__Host-")) == (secure, secure)


def test_sessions_end_by_age_by_idleness_and_with_the_account(service: Service, clock: Clock) -> None:
    settings = service.context.settings
    browser = member(service)
    clock.pass_seconds(settings.session_idle_hours * 3600 - 1)
    assert browser.ask("GET", "/session", 200)["name"] == "mona"
    clock.pass_seconds(settings.session_idle_hours * 3600 + 1)
    assert browser.ask("GET", "/session", 200)["name"] is None
    browser.sign_in(name="mona", password=PASSWORD)
    for _ in range(settings.session_hours // settings.session_idle_hours + 1):
        clock.pass_seconds(settings.session_idle_hours * 3600 - 1)
        browser.ask("GET", "/session", 200)
    assert browser.ask("GET", "/session", 200)["name"] is None
    browser.sign_in(name="mona", password=PASSWORD)
    service.request("PATCH", "/accounts/mona", "admin", json={"disabled": True})
    assert browser.ask("GET", "/session", 200)["name"] is None
    browser.ask("POST", "/session", 401, {"name": "mona", "password": PASSWORD})


def test_somebody_must_be_left_to_administer(service: Service) -> None:
    invited(service, "root", administrator=True)
    for change in ({"disabled": True}, {"administrator": False}):
        service.request("PATCH", "/accounts/root", "admin", 409, json=change)
    invited(service, "second", administrator=True)
    service.request("PATCH", "/accounts/root", "admin", json={"disabled": True})


def test_own_tokens_end_with_their_owner_and_never_go_beyond(service: Service, clock: Clock) -> None:
    browser = member(service, "reader")
    browser.ask("POST", "/tokens", 403, {"name": "t", "scope": "admin"})
    made = browser.ask("POST", "/tokens", 201, {"name": "t", "scope": "maintain", "days": 30})
    service.tokens["mine"] = made["token"]
    listed = browser.ask("GET", "/tokens", 200)
    assert [(one["name"], one["owner"], one["last_used_at"]) for one in listed] == [("t", "mona", None)]
    assert made["token"] not in str(listed)
    service.request("PATCH", "/projects/demo", "mine", 403, json={"public": False})
    service.request("PUT", "/projects/demo/people/mona", "admin", json={"role": "maintainer"})
    service.request("PATCH", "/projects/demo", "mine", json={"public": False})
    assert browser.ask("GET", "/tokens", 200)[0]["last_used_at"] is not None
    service.request("POST", "/tokens", "mine", 403, json={"name": "child"})
    service.request("DELETE", "/projects/demo/people/mona", "admin", 204)
    service.request("GET", "/projects/demo", "mine", 404)
    browser.ask("DELETE", f"/tokens/{made['id']}", 204)
    service.request("GET", "/projects/demo", "mine", 401)
    again = browser.ask("POST", "/tokens", 201, {"name": "t", "days": 1})
    service.tokens["mine"] = again["token"]
    service.request("GET", "/session", "mine")
    clock.pass_seconds(86400)
    service.request("GET", "/session", "mine", 401)


def test_tokens_of_a_project_are_its_maintainers_business(service: Service) -> None:
    browser = member(service, "maintainer")
    made = browser.ask("POST", "/projects/demo/tokens", 201, {"name": "ci"})
    service.tokens["ci"] = made["token"]
    assert service.request("GET", "/projects", "ci")[0]["name"] == "demo"
    browser.ask("POST", "/projects/demo/tokens", 422, {"name": "ci", "scope": "maintain"})
    browser.ask("DELETE", f"/projects/demo/tokens/{made['id']}", 204)
    service.request("GET", "/projects", "ci", 401)
    browser.ask("DELETE", "/projects/demo/tokens/1", 404)
