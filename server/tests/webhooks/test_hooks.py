# SPDX-License-Identifier: Apache-2.0
"""GitHub's webhook: a delivery is signed, is accepted once, and gets its answer immediately."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import ANY

import pytest
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.webhooks.signature import sign, verify_signature
from nalm_server.webhooks.tasks import drain
from nalm_server_deliveries import payload
from nalm_server_harness import Clock, Service, make_service
from sqlalchemy import update

BEFORE = "59b20b8d5c6ff8d09518454d4dd8b7b30f095ab5"
AFTER = "6113728f27ae82c7b1a177c8d03f9e96e0adf246"


def test_signature_is_that_of_githubs_documentation() -> None:
    # The example of GitHub's page "Validating webhook deliveries".
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sign("It's a Secret to Everybody", b"Hello, World!") == expected
    assert verify_signature("It's a Secret to Everybody", b"Hello, World!", expected)


@pytest.mark.dialects
def test_merge_queues_one_job_against_the_state_before(service: Service) -> None:
    answer = service.hook(payload("push_merge"), 202)
    assert (answer["status"], answer["became"]) == ("accepted", "accepted")
    job = service.get(f"/jobs/{answer['job_ids'][0]}")
    assert (job["base_sha"], job["head_sha"], job["state"]) == (BEFORE, AFTER, "queued")
    commits = service.get("/projects/demo/commits")
    assert [one["sha"] for one in commits] == [AFTER]
    assert commits[0]["subject"] == "Merge pull request #7 from octo/nat-ports"
    assert commits[0]["author"] == "Mona"
    assert commits[0]["committed_at"] == "2026-11-20T14:20:41Z"
    assert commits[0]["parent_sha"] == BEFORE
    assert commits[0]["job"]["id"] == job["id"]


@pytest.mark.dialects
@pytest.mark.parametrize(
    ("name", "event", "reason"),
    [("ping", "ping", "works"), ("push_merge", "issues", "kind issues are ignored")],
)
def test_what_is_of_no_interest_is_answered_at_once(
    service: Service, name: str, event: str, reason: str
) -> None:
    answer = service.hook(payload(name), 200, event=event)
    assert (answer["status"], answer["delivery"]) == ("ignored", None)
    assert reason in answer["reason"]
    assert service.request("GET", "/projects/demo/deliveries", "admin") == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("push_topic", "topic is not watched"),
        ("push_tag_deleted", "was deleted"),
        ("push_branch_deleted", "was deleted"),
        ("push_new_branch", "is new, and its base is unknown"),
        ("push_forced", "was forced, and its base is unknown"),
    ],
)
def test_what_needs_no_job_says_why(service: Service, name: str, reason: str) -> None:
    answer = service.hook(payload(name), 202)
    assert answer["became"] == "ignored"
    assert reason in answer["why"]
    assert service.get("/jobs") == []


@pytest.mark.dialects
def test_a_trial_is_signed_and_taken_like_a_forges(service: Service) -> None:
    for _ in range(2):
        answer = service.post("/projects/demo/deliveries/trial", "admin", 200, {})
        assert answer == {"status": "ignored", "reason": "ping: the webhook works", "delivery": None}
        service.post("/projects/demo/webhook-secret", "admin", 200, {})
    tried = service.request("GET", "/projects/demo/audit?action=delivery.trial", "admin")
    assert [one["who"] for one in tried] == ["admin", "admin"]


def test_redelivery_changes_nothing(service: Service) -> None:
    first = service.hook(payload("push_merge"), 202, delivery="once")
    again = service.hook(payload("push_merge"), 200, delivery="once")
    assert again["job_ids"] == first["job_ids"]
    # The same push under another delivery id (sent again by hand) finds the same job.
    other = service.hook(payload("push_merge"), 202, delivery="twice")
    assert other["job_ids"] == first["job_ids"]
    assert len(service.get("/jobs")) == 1


@pytest.mark.dialects
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
        list(pool.map(lambda _: drain(service.context), range(4)))
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
    made = service.post("/projects", "admin", 201, {"name": "other", "repository": "/srv/o.git"})
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
    drain(service.context)
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
def test_signed_nonsense_gets_what_is_wrong(service: Service, body: bytes, status: int, name: str) -> None:
    assert service.hook(body, status)["error"]["name"] == name


def test_body_beyond_the_limit_is_refused(
    make_settings: Callable[..., Any], clock: Any, request: pytest.FixtureRequest
) -> None:
    small = make_service(make_settings(webhook_bytes=1024), clock)
    request.addfinalizer(small.context.engine.dispose)
    answer = small.hook(b'{"x": "' + b"y" * 2000 + b'"}', 413)
    assert answer["error"]["name"] == "too_large"


@pytest.mark.dialects
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


def test_delivery_waits_for_the_repository_and_is_then_believed(service: Service, clock: Clock) -> None:
    set_repository(service, "http://127.0.0.1:9/demo.git")
    answer = service.hook(payload("push_merge"), 202)
    assert (answer["became"], answer["job_ids"]) == ("received", [])
    assert "waits for the next try: git" in answer["why"]
    for wait in (15, 30, 60):
        drain(service.context)
        clock.pass_seconds(wait + 1)
        drain(service.context)
    (delivery,) = service.request("GET", "/projects/demo/deliveries", "admin")
    assert (delivery["status"], delivery["attempts"], len(delivery["job_ids"])) == ("accepted", 4, 1)
    assert "as one step, from the delivery alone: git" in delivery["reason"]


@pytest.mark.dialects
def test_failed_delivery_works_again_when_sent_again(service: Service, clock: Clock) -> None:
    set_repository(service, "http://127.0.0.1:9/demo.git")
    without_base = json.dumps(
        {"ref": "x", "after": AFTER, "pull_request": {"number": 3, "base": "main", "from_fork": False}}
    ).encode()
    assert generic(service, without_base)["became"] == "received"
    for _ in range(8):
        clock.pass_seconds(3600)
        drain(service.context)
    (failed,) = service.request("GET", "/projects/demo/deliveries?status=failed", "admin")
    assert failed["reason"].startswith("given up after 8 tries")
    assert generic(service, without_base)["status"] == "accepted"
    service.post(f"/projects/demo/deliveries/{failed['id']}/redeliver", "upload", 403, {})
    again = service.post(f"/projects/demo/deliveries/{failed['id']}/redeliver", "admin", 202, {})
    assert (again["status"], again["attempts"]) == ("received", 0)
    service.post("/projects/demo/deliveries/999/redeliver", "admin", 404, {})


@pytest.mark.dialects
def test_a_delivery_that_failed_long_ago_works_again_with_the_body_that_is_sent(
    service: Service, clock: Clock
) -> None:
    set_repository(service, "http://127.0.0.1:9/demo.git")
    body = json.dumps(
        {"ref": "x", "after": AFTER, "pull_request": {"number": 3, "base": "main", "from_fork": False}}
    ).encode()

    def fails() -> Any:
        assert generic(service, body)["status"] == "accepted"
        for _ in range(8):
            clock.pass_seconds(3600)
            drain(service.context)
        (failed,) = service.request("GET", "/projects/demo/deliveries?status=failed", "admin")
        return failed | {"reason": re.sub(r"after \d+ ms", "in no time", failed["reason"])}

    first = fails()
    clock.pass_seconds(15 * 24 * 3600)
    drain(service.context)
    assert [one["kept"] for one in service.request("GET", "/projects/demo/deliveries", "admin")] == [False]
    assert fails() == {**first, "worked_at": ANY, "kept": False}


def test_bodies_are_forgotten_and_then_not_worked_on_again(service: Service, clock: Clock) -> None:
    number = service.hook(payload("push_merge"), 202)["delivery"]
    clock.pass_seconds(15 * 24 * 3600)
    drain(service.context)
    assert [one["kept"] for one in service.request("GET", "/projects/demo/deliveries", "admin")] == [False]
    error = service.post(f"/projects/demo/deliveries/{number}/redeliver", "admin", 409, {})["error"]
    assert "from the forge" in error["message"]


def test_both_secrets_are_taken_while_they_overlap(service: Service, clock: Clock) -> None:
    old = service.secret
    made = service.post("/projects/demo/webhook-secret", "admin", 200, {"overlap_hours": 1})
    for secret in (old, made["webhook_secret"]):
        service.hook(
            payload("ping"), 200, event="ping", **{"X-Hub-Signature-256": sign(secret, payload("ping"))}
        )
    clock.pass_seconds(3601)
    service.hook(payload("ping"), 401, event="ping")
    service.secret = made["webhook_secret"]
    service.hook(payload("ping"), 200, event="ping")


def test_pull_request_of_a_fork_is_held_and_a_push_to_it_supersedes(service: Service) -> None:
    first = service.hook(pull_request(), 202, event="pull_request")
    (number,) = first["job_ids"]
    job = service.get(f"/jobs/{number}")
    assert ("comes from a fork" in job["held"], job["asked"]) == (True, "pull request 7")
    assert service.lease(204) is None
    moved = service.hook(pull_request(head="b" * 40, action="synchronize"), 202, event="pull_request")
    assert service.get(f"/jobs/{number}")["state"] == "superseded"
    (other,) = moved["job_ids"]
    closed = service.hook(
        pull_request(head="b" * 40, action="closed", merged=True), 202, event="pull_request"
    )
    assert closed["became"] == "ignored"
    assert service.get(f"/jobs/{other}")["state"] == "superseded"
    (shown,) = service.get("/projects/demo/pull-requests")
    assert (shown["number"], shown["state"], shown["from_fork"]) == (7, "merged", True)
    assert service.get("/projects/demo/commits") == []


@pytest.mark.dialects
@pytest.mark.parametrize(("policy", "held"), [("always", None), ("never", "none")])
def test_forks_as_the_project_wants_them(service: Service, policy: str, held: str | None) -> None:
    put(service, "/projects/demo/branch-filters", {"fork_pull_requests": policy})
    answer = service.hook(pull_request(), 202, event="pull_request")
    jobs = [service.get(f"/jobs/{number}")["held"] for number in answer["job_ids"]]
    assert jobs == ([] if held else [None])


@pytest.mark.dialects
def test_watched_branches_by_glob(service: Service) -> None:
    put(service, "/projects/demo/branch-filters", {"branches": ["topic", "release-*"]})
    answer = service.hook(payload("push_topic"), 202)
    assert answer["became"] == "accepted"
    assert service.hook(payload("push_merge"), 202)["why"] == "main is not watched, topic, release-* is"
    assert [one["name"] for one in service.get("/projects/demo/branches")] == ["topic"]
    assert service.get("/projects/demo/commits") == []


@pytest.mark.parametrize("path", ["branch-filters", "webhook-secret", "read-token", "deliveries"])
def test_settings_are_for_maintainers(service: Service, path: str) -> None:
    method = (
        "POST" if path == "webhook-secret" else "GET" if path in ("branch-filters", "deliveries") else "PUT"
    )
    body = {"token": "x"} if path == "read-token" else {}
    answer = service.client.request(method, f"/api/v1/projects/demo/{path}", json=body)
    assert answer.status_code == 401


def test_signature_is_in_time_and_of_one_look_whoever_is_named(service: Service) -> None:
    body = payload("push_merge")
    answers = [
        service.client.post(f"/api/v1/hooks/github?project={name}", content=body, headers={}).json()["error"]
        for name in ("demo", "nobody")
    ]
    assert answers[0]["message"] == answers[1]["message"]


def test_nul_and_half_characters_are_stored_as_something(service: Service) -> None:
    event = json.loads(payload("push_merge"))
    event["head_commit"]["message"] = "a\0b \ud800 c"
    event["head_commit"]["timestamp"] = "yesterday"
    assert service.hook(json.dumps(event).encode(), 202)["became"] == "accepted"
    assert service.get("/projects/demo/commits")[0]["subject"] == "ab ? c"


def set_repository(service: Service, address: str) -> None:
    with service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository=address))
        session.commit()


def put(service: Service, path: str, body: object) -> None:
    service.request("PUT", path, "admin", json=body)


def generic(service: Service, body: bytes) -> dict[str, Any]:
    headers = {"X-Nalm-Signature-256": sign(service.secret, body)}
    answer = service.client.post("/api/v1/hooks/generic?project=demo", content=body, headers=headers)
    return service.worked(answer.json())


def pull_request(*, head: str = AFTER, action: str = "opened", merged: bool = False) -> bytes:
    return json.dumps(
        {
            "action": action,
            "number": 7,
            "pull_request": {
                "number": 7,
                "title": "nat: ports per core",
                "html_url": "https://github.example/octo/demo/pull/7",
                "merged": merged,
                "user": {"login": "mona"},
                "head": {"ref": "topic", "sha": head, "repo": {"id": 2}},
                "base": {"ref": "main", "sha": BEFORE, "repo": {"id": 1}},
            },
        }
    ).encode()
