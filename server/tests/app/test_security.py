# SPDX-License-Identifier: Apache-2.0
"""Permissions of callers, contents of answers, and limits of request sizes."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nalm_server.auth.tokens import repository
from nalm_server.auth.tokens.models import TokenRow
from nalm_server.base.settings import Settings
from nalm_server.db.secrets import SecretBox, SecretKeyError
from nalm_server_harness import Clock, Service, make_service
from sqlalchemy import select

WRITES = {
    "/projects": ("admin", {"name": "x", "repository": "/srv/x.git"}),
    "/reports": ("upload", {}),
    "/agent/lease": ("agent", {"host": "h", "host_class": "c"}),
    "/agent/jobs/1/progress": ("agent", {"fence": 1, "step": "building"}),
    "/agent/jobs/1/finish": ("agent", {"fence": 1, "outcome": "done"}),
}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: nothing here depends on the database."""
    return sqlite_url


@pytest.mark.parametrize("path", WRITES)
def test_writing_needs_the_right_token(service: Service, path: str) -> None:
    expected, body = WRITES[path]
    url = f"/api/v1{path}"
    nobody = service.client.post(url, json=body)
    assert (nobody.status_code, nobody.json()["error"]["name"]) == (401, "unauthorized")
    assert nobody.headers["WWW-Authenticate"] == "Bearer"
    unknown = service.client.post(url, json=body, headers={"Authorization": "Bearer nalm_guess"})
    assert unknown.status_code == 401
    for scope in (
        {"admin", "agent", "upload"} - {expected} - ({"agent", "admin"} if path == "/reports" else set())
    ):
        refused = service.client.post(
            url, json=body, headers={"Authorization": f"Bearer {service.tokens[scope]}"}
        )
        assert (refused.status_code, refused.json()["error"]["name"]) == (403, "forbidden"), scope


def test_revoked_token_is_worthless_at_once(service: Service, clock: Clock) -> None:
    with service.context.sessions() as session:
        digest = hashlib.sha256(service.tokens["agent"].encode()).hexdigest()
        row = repository.find(session, digest)
        assert row is not None
        assert repository.revoke(session, row.id, clock())
        assert not repository.revoke(session, row.id, clock())
        session.commit()
    assert service.post("/agent/lease", "agent", 401, WRITES["/agent/lease"][1])


def test_no_secret_is_stored_readable(service: Service) -> None:
    """Tokens hashed, webhook secrets encrypted: neither is in any column of the database."""
    secrets = [service.secret.encode(), *(token.encode() for token in service.tokens.values())]
    with service.context.engine.connect() as connection:
        for table in ("projects", "tokens"):
            for row in connection.exec_driver_sql(f"select * from {table}"):
                stored = b" ".join(bytes(v) if isinstance(v, bytes) else str(v).encode() for v in row)
                assert not [secret for secret in secrets if secret in stored]
    with service.context.read_sessions() as session:
        assert all(len(digest) == 64 for digest in session.scalars(select(TokenRow.digest)))


def test_secrets_are_not_in_the_log(service: Service, capfd: pytest.CaptureFixture[str]) -> None:
    service.hook(b"{}", 422)
    service.lease(204)
    said = "".join(capfd.readouterr())
    assert "path=/api/v1/agent/lease" in said
    assert not [secret for secret in (service.secret, *service.tokens.values()) if secret in said]


def test_every_answer_has_security_headers_and_an_id(service: Service) -> None:
    for path in ("/", "/api/v1/health", "/api/v1/nothing", "/assets/none.js"):
        headers = service.client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert len(headers["X-Request-Id"]) == 32
    error = service.client.get("/api/v1/nothing")
    assert error.json()["error"]["request_id"] == error.headers["X-Request-Id"]
    assert error.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("chunked", [False, True])
def test_body_beyond_the_limit_is_refused_with_and_without_a_length(
    make_settings: Callable[..., Settings], clock: Clock, request: pytest.FixtureRequest, chunked: bool
) -> None:
    service = make_service(make_settings(upload_bytes=2048), clock)
    request.addfinalizer(service.context.engine.dispose)
    big = b"x" * 5000
    answer = service.client.post(
        "/api/v1/reports",
        content=(part for part in (big[:2500], big[2500:])) if chunked else big,
        headers={"Authorization": f"Bearer {service.tokens['upload']}"},
    )
    assert (answer.status_code, answer.json()["error"]["name"]) == (413, "too_large")


def test_gzip_bomb_is_refused(service: Service) -> None:
    bomb = gzip.compress(b" " * (80 << 20), 9)
    assert len(bomb) < service.context.settings.upload_bytes
    headers = {"Authorization": f"Bearer {service.tokens['upload']}", "Content-Encoding": "gzip"}
    answer = service.client.post("/api/v1/reports", content=bomb, headers=headers)
    assert (answer.status_code, answer.json()["error"]["name"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [("br", b"x", 415), ("gzip", b"no gzip", 400), ("gzip", gzip.compress(b"x" * 999, mtime=0)[:-9], 400)],
)
def test_other_encodings(service: Service, encoding: str, body: bytes, status: int) -> None:
    headers = {"Authorization": f"Bearer {service.tokens['upload']}", "Content-Encoding": encoding}
    assert service.client.post("/api/v1/reports", content=body, headers=headers).status_code == status


def test_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    SecretBox.from_state_dir(tmp_path)
    key = tmp_path / "secret.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(SecretKeyError, match="chmod 600"):
        SecretBox.from_state_dir(tmp_path)


def test_servers_in_two_containers_make_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They start at once, share the state directory, and have the same process id."""
    link, made = os.link, list[SecretBox]()

    def after_the_other(*given: Any) -> None:
        monkeypatch.setattr(os, "link", link)
        made.append(SecretBox.from_state_dir(tmp_path))
        link(*given)

    monkeypatch.setattr(os, "link", after_the_other)
    sealed = SecretBox.from_state_dir(tmp_path).seal("secret")
    assert made[0].open(sealed) == "secret"
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    first, second = (SecretBox.from_state_dir(tmp_path / name) for name in "ab")
    sealed = first.seal("secret")
    assert first.open(sealed) == SecretBox.from_state_dir(tmp_path / "a").open(sealed) == "secret"
    with pytest.raises(SecretKeyError):
        second.open(sealed)


@pytest.fixture
def page(service: Service) -> Path:
    static = service.context.settings.resolved_static_dir
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<title>the page</title>")
    (static / "assets" / "app-1a2b.js").write_text("1")
    (static.parent / "outside.txt").write_text("not for you")
    return static


def test_page_and_its_routes(service: Service, page: Path) -> None:
    for path in ("/", "/p/demo/history", "/index.html"):
        answer = service.client.get(path)
        assert (answer.status_code, answer.text) == (200, "<title>the page</title>")
        assert answer.headers["Cache-Control"] == "no-cache"
    assert "immutable" in service.client.get("/assets/app-1a2b.js").headers["Cache-Control"]
    assert service.client.get("/assets/gone.js").status_code == 404
    assert service.client.get("/api/v2/x").status_code == 404


@pytest.mark.parametrize(
    "path", ["/..%2foutside.txt", "/assets/..%2f..%2foutside.txt", "/%2e%2e/outside.txt"]
)
def test_nothing_outside_the_page_is_served(service: Service, page: Path, path: str) -> None:
    assert "not for you" not in service.client.get(path).text


def test_page_that_is_not_built_says_so(service: Service) -> None:
    answer: Any = service.client.get("/")
    assert answer.status_code == 503
    assert "npm run build" in answer.text
