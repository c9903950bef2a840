# SPDX-License-Identifier: Apache-2.0
"""GitHub's webhook: signed, taken once, answered at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from nalm_server.hooks.signature import fits, sign
from nalm_server_harness import Service, make_service

FIXTURES = Path(__file__).parent / "fixtures"
BEFORE = "59b20b8d5c6ff8d09518454d4dd8b7b30f095ab5"
AFTER = "6113728f27ae82c7b1a177c8d03f9e96e0adf246"


def payload(name: str) -> bytes:
    return (FIXTURES / f"github_{name}.json").read_bytes()


def test_signature_is_that_of_githubs_documentation() -> None:
    # The example of GitHub's page "Validating webhook deliveries".
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sign("It's a Secret to Everybody", b"Hello, World!") == expected
    assert fits("It's a Secret to Everybody", b"Hello, World!", expected)


def test_merge_queues_one_job_against_the_state_before(service: Service) -> None:
    answer = service.hook(payload("push_merge"), 202)
    assert answer["status"] == "accepted"
    job = service.get(f"/jobs/{answer['job_ids'][0]}")
    assert (job["base_sha"], job["head_sha"], job["state"]) == (BEFORE, AFTER, "queued")
    commits = service.get("/projects/demo/commits")
    assert [one["sha"] for one in commits] == [AFTER]
    assert commits[0]["subject"] == "Merge pull request #7 from octo/nat-ports"
    assert commits[0]["author"] == "Mona"
    assert commits[0]["committed_at"] == "2026-11-20T14:20:41Z"
    assert commits[0]["parent_sha"] == BEFORE
    assert commits[0]["job"]["id"] == job["id"]


@pytest.mark.parametrize(
    ("name", "event", "reason"),
    [
        ("ping", "ping", "works"),
        ("push_topic", "push", "topic is not watched"),
        ("push_tag_deleted", "push", "no branch"),
        ("push_branch_deleted", "push", "deleted"),
        ("push_new_branch", "push", "nothing to be compared with"),
        ("push_forced", "push", "forced"),
        ("push_merge", "issues", "nothing is done on issues"),
    ],
)
def test_what_needs_no_job_is_answered_with_the_reason(
    service: Service, name: str, event: str, reason: str
) -> None:
    answer = service.hook(payload(name), 200, event=event)
    assert answer["status"] == "ignored"
    assert reason in answer["reason"]
    assert service.get("/jobs") == []


def test_redelivery_changes_nothing(service: Service) -> None:
    first = service.hook(payload("push_merge"), 202, delivery="once")
    again = service.hook(payload("push_merge"), 200, delivery="once")
    assert again["job_ids"] == first["job_ids"]
    # The same push under another delivery id (sent again by hand) finds the same job.
    other = service.hook(payload("push_merge"), 202, delivery="twice")
    assert other["job_ids"] == first["job_ids"]
    assert len(service.get("/jobs")) == 1


def test_deliveries_at_the_same_time_make_one_job(service: Service) -> None:
    def deliver(number: int) -> Any:
        headers = {
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": f"d{number % 2}",
            "X-Hub-Signature-256": sign(service.secret, payload("push_merge")),
        }
        return service.client.post("/api/v1/hooks/github", content=payload("push_merge"), headers=headers)

    with ThreadPoolExecutor(6) as pool:
        statuses = [answer.status_code for answer in pool.map(deliver, range(6))]
    assert sorted(statuses) == [200, 200, 200, 200, 202, 202]
    assert len(service.get("/jobs")) == 1


@pytest.mark.parametrize(
    "signature",
    ["", "sha256=", "sha1=0", "sha256=" + "0" * 64, "sha256=\xe9", "ohne"],
)
def test_unsigned_or_wrongly_signed_is_refused_before_anything_is_read(
    service: Service, signature: str
) -> None:
    headers = {"X-Hub-Signature-256": signature.encode("latin-1")} if signature else {}
    answer = service.client.post("/api/v1/hooks/github", content=b"not even JSON", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["name"] == "bad_signature"
    assert service.get("/jobs") == []


def test_one_changed_byte_breaks_the_signature(service: Service) -> None:
    body = payload("push_merge")
    signature = sign(service.secret, body)
    error = service.hook(body.replace(b"main", b"maim", 1), 401, **{"X-Hub-Signature-256": signature})
    assert error["error"]["name"] == "bad_signature"


def test_secret_of_one_project_opens_no_other(service: Service) -> None:
    made = service.post(
        "/projects", "admin", 201, {"name": "other", "repository": "https://example.org/o.git"}
    )
    body = payload("push_merge")
    headers = {
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": "x",
        "X-Hub-Signature-256": sign(made["webhook_secret"], body),
    }
    refused = service.client.post("/api/v1/hooks/github?project=demo", content=body, headers=headers)
    assert refused.status_code == 401
    taken = service.client.post("/api/v1/hooks/github?project=other", content=body, headers=headers)
    assert taken.status_code == 202
    assert [job["project"] for job in service.request("GET", "/jobs", "admin")] == ["other"]


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        (b"{", 400, "bad_request"),
        (b"[1]", 422, "invalid"),
        (b'{"ref": "refs/heads/main"}', 422, "invalid"),
        (b"[" * 100_000, 400, "bad_request"),
    ],
)
def test_signed_nonsense_is_told_what_is_wrong(service: Service, body: bytes, status: int, name: str) -> None:
    assert service.hook(body, status)["error"]["name"] == name


def test_body_beyond_the_limit_is_refused(
    make_settings: Callable[..., Any], clock: Any, request: pytest.FixtureRequest
) -> None:
    small = make_service(make_settings(webhook_bytes=1024), clock)
    request.addfinalizer(small.context.engine.dispose)
    answer = small.hook(b'{"x": "' + b"y" * 2000 + b'"}', 413)
    assert answer["error"]["name"] == "too_large"


def test_pushes_out_of_order_end_up_in_order(service: Service) -> None:
    shas = [f"{number:040x}" for number in range(1, 6)]
    template = json.loads(payload("push_merge"))

    def push(index: int) -> None:
        head = {**template["head_commit"], "id": shas[index], "message": f"commit {index}"}
        event = {**template, "before": shas[index - 1], "after": shas[index], "head_commit": head}
        service.hook(json.dumps(event).encode(), 202)

    for index in (3, 1, 4, 2):
        push(index)
    commits = service.get("/projects/demo/commits")
    assert [one["subject"] for one in commits] == ["commit 4", "commit 3", "commit 2", "commit 1"]
    assert [one["parent_sha"] for one in commits] == shas[3::-1]
    older = service.get("/projects/demo/commits", before=shas[3], limit=1)
    assert [one["sha"] for one in older] == [shas[2]]
