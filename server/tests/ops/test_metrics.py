# SPDX-License-Identifier: Apache-2.0
"""Figures for Prometheus, readiness, and logs that carry ids and no secrets."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.base import logs
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.notify.tasks import drain
from nalm_server.ops.health import service as health
from nalm_server_harness import AppClient, Clock, Service
from nalm_server_reports import body_of, make_report
from nalm_server_sockets import Reply, serving
from prometheus_client.parser import text_string_to_metric_families

SLOWER = {"nat": 180.0}
TOKEN = "a-token-for-prometheus"


def scraped(client: AppClient, **headers: str) -> dict[tuple[str, ...], float]:
    """Samples by name and values of labels."""
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def local(service: Service) -> AppClient:
    """As from this host."""
    return AppClient(make_app(service.context), client=("127.0.0.1", 5000))


def test_figures_are_those_of_the_database(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs=SLOWER)))
    body = json.dumps({"ref": "refs/heads/main", "before": "1" * 40, "after": "2" * 40}).encode()
    service.hook(body, 202)
    service.clock.pass_seconds(90)
    found = scraped(local(service))
    assert found["nalm_runs", "same"] == found["nalm_runs", "regressed"] == 1
    assert sum(value for key, value in found.items() if key[0] == "nalm_deliveries") == 1
    assert found["nalm_hosts_online",] == 0
    assert found["nalm_notifications_due_seconds",] == 0
    assert "process_resident_memory_bytes" in {key[0] for key in found}


def test_requests_are_counted_by_route_never_by_path(service: Service) -> None:
    client = local(service)
    for number in range(3):
        client.get(f"/api/v1/runs/{number:032x}")
        client.get(f"/nowhere/{number}")
    found = scraped(client)
    assert found["nalm_http_requests_total", "GET", "/api/v1/runs/{run_id}", "404"] == 3
    assert found["nalm_http_request_seconds_count", "/api/v1/runs/{run_id}"] == 3
    assert not [key for key in found if "/nowhere/1" in key]


def test_counting_is_not_repeated_within_a_moment(service: Service) -> None:
    client = local(service)
    assert ("nalm_runs", "same") not in scraped(client)
    service.upload(body_of(make_report(1)))
    assert ("nalm_runs", "same") not in scraped(client)


@pytest.mark.dialects
@pytest.mark.parametrize(
    ("token", "peer", "headers", "status"),
    [
        (None, "127.0.0.1", {}, 200),
        (None, "::1", {}, 200),
        (None, "192.0.2.1", {}, 403),
        (None, "127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, 403),
        (None, "192.0.2.1", {"Authorization": f"Bearer {TOKEN}"}, 403),
        (TOKEN, "192.0.2.1", {"Authorization": f"Bearer {TOKEN}"}, 200),
        (TOKEN, "127.0.0.1", {}, 401),
        (TOKEN, "127.0.0.1", {"Authorization": "Bearer another"}, 401),
    ],
)
def test_who_may_scrape(
    make_settings: Callable[..., Settings], token: str | None, peer: str, headers: dict[str, str], status: int
) -> None:
    context = make_context(make_settings(metrics_token=token))
    client = AppClient(make_app(context), client=(peer, 5000))
    assert client.get("/metrics", headers=headers).status_code == status
    context.engine.dispose()


class Usage(NamedTuple):
    free: int


def test_ready_says_what_is_missing(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: Clock
) -> None:
    assert service.get("/health/live") == {"status": "ok"}
    assert service.get("/health/ready") == {"status": "ok", "problems": []}
    with monkeypatch.context() as full:
        full.setattr(health.shutil, "disk_usage", lambda _path: Usage(free=1 << 20))
        assert "Only 1 MiB" in service.get("/health/ready", 503)["error"]["message"]
    migrate.downgrade(service.context.settings.resolved_database_url, "-1")
    assert "nalm-server migrate" in service.get("/health/ready", 503)["error"]["message"]


def test_redis_that_is_away_only_degrades(make_settings: Callable[..., Settings]) -> None:
    context = make_context(make_settings(redis_url="redis://127.0.0.1:1/0"))
    answer = AppClient(make_app(context)).get("/api/v1/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    context.engine.dispose()


SECRETS = {
    "nalm_9kTnU6b2pX7cVQm4sYwL0aZ3eRfHgJdK": "token nalm_9kTnU6b2pX7cVQm4sYwL0aZ3eRfHgJdK was used",
    "c2VjcmV0c2VjcmV0c2VjcmV0": "signed with whsec_c2VjcmV0c2VjcmV0c2VjcmV0",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "T0/B0/x1y2z3": "POST https://hooks.slack.com/services/T0/B0/x1y2z3 failed",
    "hunter2": "postgresql://app:hunter2@db/nalm is away",
    "eyJhbGciOi": "Authorization: Bearer eyJhbGciOi",
}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, Any]]]:
    """The lines of the log, as a collector reads them."""
    lines = io.StringIO()
    monkeypatch.setattr("sys.stderr", lines)
    logs.configure(as_json=True)
    return lambda: [json.loads(line) for line in lines.getvalue().splitlines()]


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_never_reach_the_log(written: Callable[[], list[dict[str, Any]]], secret: str) -> None:
    text = SECRETS[secret]
    log = structlog.get_logger()
    log.info(text, error=text, nested={"a": [text]})
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("failed")
    log.info("by name", password=secret, api_token=secret)
    lines = written()
    assert len(lines) == 3 and secret not in json.dumps(lines)


def test_ids_go_from_the_request_into_background_work(
    make_settings: Callable[..., Settings],
    written: Callable[[], list[dict[str, Any]]],
    service: Service,
) -> None:
    context = make_context(make_settings(outgoing_allow="127.0.0.1"), service.clock)
    service.client = AppClient(make_app(context))
    with serving(lambda _seen: Reply()) as server:
        body = {"name": "hook", "kind": "webhook", "url": server.url}
        service.post("/projects/demo/integrations", "admin", 201, body)
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
        for state in ("false_alarm", "reopened"):
            given = {"state": state, "why": "looked at"}
            requested = service.client.post("/api/v1/alerts/1/state", json=given, headers=headers)
            assert requested.status_code == 200
        drain(context)
    reported = {
        line["notification_id"]: line.get("request_id") for line in written() if line["event"] == "told"
    }
    assert reported == {1: None, 2: requested.headers["X-Request-Id"]}
    context.engine.dispose()
