# SPDX-License-Identifier: Apache-2.0
"""Answers in few bytes: static files as the build packed them, lists compressed and revalidated."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from nalm_core.report.serialization import dump_report
from nalm_server.app.application import make_app
from nalm_server.app.compact_answers import ROUTES, accepts
from nalm_server.base.answer_cache import AnswerCache
from nalm_server.results import summary
from nalm_server.results.extracts import service as extracts
from nalm_server.views.compare import run_rates
from nalm_server_harness import Scenes, Service
from nalm_server_rates import swept
from nalm_server_reports import body_of, make_report, sha

LINES = "/api/v1/projects/demo/commits"


def eight_runs(service: Service) -> None:
    for number in range(1, 9):
        service.upload(body_of(make_report(number)))


@pytest.fixture
def read(service: Service, scenes: Scenes) -> Callable[..., Any]:
    scenes.begin(service, "eight", eight_runs)

    def get(path: str, **headers: str) -> Any:
        return service.client.get(
            path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    return get


def test_every_named_route_exists() -> None:
    paths = {route.path for route in make_app(None).routes if hasattr(route, "path")}
    assert paths >= ROUTES
    read_only = {
        route.path
        for route in make_app(None).routes
        if isinstance(route, APIRoute) and "GET" in route.methods
    } | {"/api/v1/openapi.json"}
    assert read_only >= ROUTES


def test_a_list_is_compressed_when_requested(read: Callable[..., Any]) -> None:
    plain = read(LINES, accept_encoding="identity")
    packed = read(LINES, accept_encoding="br, gzip")
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3
    assert "Accept-Encoding" in packed.headers["vary"]


def test_an_unchanged_answer_is_not_sent_again(service: Service, read: Callable[..., Any]) -> None:
    tag = read(LINES, accept_encoding="gzip").headers["etag"]
    again = read(LINES, if_none_match=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag and again.headers["cache-control"] == "private, no-cache"
    service.upload(body_of(make_report(9)))
    assert read(LINES, if_none_match=tag).status_code == 200


def test_a_stored_answer_is_no_way_around_rights(read: Callable[..., Any]) -> None:
    tag = read(LINES).headers["etag"]
    assert read(LINES, if_none_match=tag, authorization="Bearer wrong").status_code == 401


def test_answers_with_secrets_are_sent_as_they_are(service: Service) -> None:
    for path in ("/session", "/tokens", "/jobs"):
        assert not any(route.endswith(path) for route in ROUTES)
    answer = service.client.get("/api/v1/session", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in answer.headers and answer.headers["cache-control"] == "no-store"


def test_accepted_codings() -> None:
    assert accepts("gzip, deflate, br", "br") and accepts("gzip;q=0.5", "gzip")
    assert not accepts("gzip;q=0", "gzip") and not accepts("", "gzip") and not accepts("x-gzip", "gzip")


@pytest.mark.nightly
def test_runs_are_computed_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer reads no report."""
    service.upload(body_of(make_report(1)))
    service.upload(dump_report(swept(2, sha(0), sha(1))))
    paths = [f"/runs/{1:032x}", f"/runs/{1:032x}/code", f"/runs/{1:032x}/counts", f"/runs/{2:032x}/rates"]
    first = [service.get(path) for path in paths]
    for module in (summary, extracts, run_rates):
        monkeypatch.setattr(module, "parse_report", lambda _: pytest.fail("read again"))
    assert [service.get(path) for path in paths] == first


def test_figures_under_load_are_compressed_and_not_sent_again(
    service: Service, read: Callable[..., Any]
) -> None:
    service.upload(dump_report(swept(20, sha(0), sha(1))))
    path = f"/api/v1/runs/{20:032x}/rates"
    packed = read(path, accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip" and packed.json()["sweep"] is not None
    assert read(path, if_none_match=packed.headers["etag"]).status_code == 304


def test_the_cache_keeps_what_was_used_last() -> None:
    cache, made = AnswerCache(10), []

    def get(key: str, size: int) -> None:
        cache.get(key, lambda: made.append(key) or b"x" * size)

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key, 4)
    assert made == ["a", "b", "c", "b"]
    get("large", 11)
    get("large", 11)
    assert made[-2:] == ["large", "large"], "what is larger than the cache displaces nothing"
    get("a", 4)
    assert made[-1] == "large"


@pytest.fixture
def built(service: Service) -> Path:
    folder = service.context.settings.resolved_static_dir
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("<!doctype html>index")
    script = folder / "assets" / "app-1a2b.js"
    script.write_text("let a = 1;")
    script.with_name("app-1a2b.js.gz").write_bytes(gzip.compress(b"let a = 1;"))
    return folder


def test_static_files_are_sent_as_the_build_packed_them(service: Service, built: Path) -> None:
    def get(coding: str) -> Any:
        return service.client.get("/assets/app-1a2b.js", headers={"Accept-Encoding": coding})

    plain, packed = get("identity"), get("br, gzip")
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain.text == "let a = 1;"
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert packed.headers["content-type"].startswith("text/javascript")
    assert "immutable" in packed.headers["cache-control"] and packed.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in get("br").headers, "there is no such file"
