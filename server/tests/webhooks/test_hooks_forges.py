# SPDX-License-Identifier: Apache-2.0
"""GitLab, Gitea and the plain form: their signatures, and the effects of their events."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

import pytest
from nalm_server.git.events import PullRequestChanged
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.signature import STANDARD_SECRET, hexdigest, sign, sign_standard
from nalm_server_harness import Clock, Service

BEFORE, AFTER, BASE, ZEROS = "a" * 40, "b" * 40, "c" * 40, "0" * 40
PUSH = {
    "object_kind": "push",
    "ref": "refs/heads/main",
    "before": BEFORE,
    "after": AFTER,
    "checkout_sha": AFTER,
}
GITEA_REQUEST = {
    "action": "synchronized",
    "number": 5,
    "pull_request": {
        "title": "nat",
        "merged": False,
        "merge_base": BASE,
        "user": {"login": "mona"},
        "head": {"ref": "topic", "sha": AFTER, "repo_id": 1},
        "base": {"ref": "main", "sha": BEFORE, "repo_id": 1},
    },
}


def send(service: Service, forge: str, event: Any, status: int, **headers: str) -> Any:
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = service.client.post(f"/api/v1/hooks/{forge}?project=demo", content=body, headers=named)
    assert answer.status_code == status, answer.text
    return service.worked(answer.json()) if status < 400 else answer.json()


def bases(service: Service, answer: Any) -> list[str]:
    return [service.get(f"/jobs/{number}")["base_sha"] for number in answer["job_ids"]]


def test_gitlab_by_its_secret_token(service: Service) -> None:
    given = {"X_Gitlab_Event": "Push Hook", "Idempotency_Key": "1"}
    send(service, "gitlab", PUSH, 401, X_Gitlab_Token="guess", **given)
    answer = send(service, "gitlab", PUSH, 202, X_Gitlab_Token=service.secret, **given)
    assert bases(service, answer) == [BEFORE]
    again = send(service, "gitlab", PUSH, 200, X_Gitlab_Token=service.secret, **given)
    assert "accepted before" in again["reason"]


@pytest.mark.parametrize("own_form", [False, True])
def test_gitlab_as_a_standard_webhook(service: Service, clock: Clock, own_form: bool) -> None:
    if own_form:
        secret = STANDARD_SECRET + base64.b64encode(b"k" * 32).decode()
        service.request("POST", "/projects/demo/webhook-secret", "admin", json={"secret": secret})
        service.secret = secret
    now, body = int(clock.now.timestamp()), json.dumps(PUSH).encode()

    def signed(timestamp: int, body: bytes = body) -> dict[str, str]:
        return {
            "X_Gitlab_Event": "Push Hook",
            "webhook_id": "m1",
            "webhook_timestamp": str(timestamp),
            "webhook_signature": "v1,AAAA " + sign_standard(service.secret, "m1", str(timestamp), body),
        }

    send(service, "gitlab", body, 401, **signed(now - 301))
    send(service, "gitlab", body, 401, **signed(now + 301))
    send(service, "gitlab", body, 401, **signed(now, b"other"))
    # A signature that is present must be valid; the weaker form does not replace it.
    send(service, "gitlab", body, 401, **signed(now, b"other"), X_Gitlab_Token=service.secret)
    assert send(service, "gitlab", body, 202, **signed(now - 299))["became"] == "accepted"
    assert send(service, "gitlab", body, 200, **signed(now))["status"] == "ignored"


@pytest.mark.parametrize(
    ("action", "more", "status", "said"),
    [
        ("open", {}, 202, "waits for the next try"),
        ("update", {"oldrev": BEFORE}, 202, "waits for the next try"),
        ("update", {}, 200, "its commits are the same"),
        ("update", {"changes": {"title": {"previous": "n", "current": "nat"}}}, 200, "its commits are"),
        ("update", {"changes": {"target_branch": {"previous": "lts", "current": "main"}}}, 202, "waits for"),
        ("merge", {}, 202, "was merged"),
        ("close", {}, 202, "was closed"),
        ("approved", {}, 200, "the action approved of a merge request is ignored"),
    ],
)
def test_gitlab_merge_requests(
    service: Service, action: str, more: dict[str, Any], status: int, said: str
) -> None:
    attributes = {
        "iid": 3, "action": action, "title": "nat", "target_branch": "main", "source_project_id": 1,
        "target_project_id": 1, "last_commit": {"id": AFTER}, **more,
    }  # fmt: skip
    event = {"object_kind": "merge_request", "changes": attributes.pop("changes", {})}
    event |= {"user": {"username": "mona"}, "object_attributes": attributes}
    headers = {"X_Gitlab_Event": "System Hook", "X_Gitlab_Token": service.secret}
    answer = send(service, "gitlab", event, status, **headers)
    assert said in answer.get("why", answer["reason"])


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("2026-11-20T12:00:04Z", "2026-11-20T12:00:04+00:00"),
        ("2026-11-20T13:00:04+01:00", "2026-11-20T12:00:04+00:00"),
        ("2026-11-20 12:00:04 UTC", "2026-11-20T12:00:04+00:00"),
        ("of another calendar", None),
        (None, None),
    ],
)
def test_the_time_of_a_change_as_forges_write_it(said: str | None, read: str | None) -> None:
    gitlab_ends = {"target_branch": "main", "source_project_id": 1, "target_project_id": 1}
    attributes = {"iid": 3, "action": "open", "last_commit": {"id": AFTER}, "updated_at": said, **gitlab_ends}
    end = {"ref": "main", "sha": AFTER, "repo_id": 1}
    request = {"number": 3, "head": end, "base": end, "updated_at": said}
    event = {"action": "opened", "number": 3, "pull_request": request}
    for forge, kind, payload in (
        ("gitlab", "", {"object_kind": "merge_request", "object_attributes": attributes}),
        ("github", "pull_request", event),
        ("gitea", "pull_request", event),
    ):
        changed = FORGES[forge].read(kind, payload)
        assert isinstance(changed, PullRequestChanged)
        assert changed.changed_at == (datetime.fromisoformat(read) if read else None), forge


def test_gitea_push_and_pull_request(service: Service) -> None:
    def gitea(event: Any, kind: str, status: int = 202) -> Any:
        signature = hexdigest(service.secret, json.dumps(event).encode())
        return send(service, "gitea", event, status, X_Gitea_Event=kind, X_Gitea_Signature=signature)

    push = {"ref": "refs/heads/main", "before": BEFORE, "after": AFTER}
    assert bases(service, gitea(push, "push")) == [BEFORE]
    answer = gitea(GITEA_REQUEST, "pull_request")
    assert bases(service, answer) == [BASE]
    edited = GITEA_REQUEST | {"action": "edited", "changes": {"title": {"from": "n"}}}
    assert "edited of a pull request is ignored" in gitea(edited, "pull_request", 200)["reason"]
    other = {**GITEA_REQUEST["pull_request"], "merge_base": BEFORE}
    retargeted = edited | {"changes": {"ref": {"from": "lts"}}, "pull_request": other}
    assert bases(service, gitea(retargeted, "pull_request")) == [BEFORE]
    assert gitea(push | {"before": AFTER}, "push", 200)["reason"] == "no new commits"
    assert gitea({}, "issues", 200)["reason"] == "events of kind issues are ignored"
    send(service, "gitea", push, 401, X_Gitea_Event="push", X_Gitea_Signature="0" * 64)


def test_gitea_tells_of_a_deleted_branch_by_its_own_event(service: Service) -> None:
    def reported(event: str, number: str, payload: dict[str, Any]) -> Any:
        signature = hexdigest(service.secret, json.dumps(payload).encode())
        given = {"X_Gitea_Event": event, "X_Gitea_Delivery": number, "X_Gitea_Signature": signature}
        return send(service, "gitea", payload, 202, **given)

    reported("push", "1", PUSH)
    reported("push", "2", {**PUSH, "ref": "refs/tags/v1", "before": ZEROS})
    assert [one["name"] for one in service.get("/projects/demo/branches")] == ["main"]
    assert reported("delete", "3", {"ref": "main", "ref_type": "branch"})["why"] == "main was deleted"
    assert service.get("/projects/demo/branches") == []
    reported("delete", "4", {"ref": "v1", "ref_type": "tag"})
    assert service.get("/projects/demo/tags") == []


MERGED, DECLARED = "d" * 40, "Adds a header.\r\n\r\nNalm-Expect: sfc_* cpp +3% one more header\r\n"
ENDS = {"head": {"ref": "topic", "sha": AFTER}, "base": {"ref": "main", "sha": BEFORE}}
MERGES: dict[str, dict[str, Any]] = {
    "github": {
        "action": "closed",
        "pull_request": {
            **ENDS, "number": 5, "merged": True, "merge_commit_sha": MERGED, "body": DECLARED,
            "user": {"login": "mona"},
        },
    },
    "gitlab": {
        "object_kind": "merge_request",
        "user": {"username": "mona"},
        "object_attributes": {
            "iid": 5, "action": "merge", "target_branch": "main", "source_project_id": 1,
            "target_project_id": 1, "last_commit": {"id": AFTER}, "merge_commit_sha": MERGED,
            "description": DECLARED,
        },
    },
    "gitea": GITEA_REQUEST | {
        "action": "closed",
        "pull_request": GITEA_REQUEST["pull_request"]
        | {"merged": True, "merge_commit_sha": MERGED, "body": DECLARED},
    },
    "generic": {
        "ref": "refs/heads/topic",
        "after": AFTER,
        "pull_request": {
            "number": 5, "base": "main", "state": "merged", "author": "mona", "body": DECLARED,
            "merged_as": MERGED,
        },
    },
}  # fmt: skip


def tell(service: Service, forge: str, event: Any) -> Any:
    """Sends the event of a pull request, signed like the forge signs it."""
    body = json.dumps(event).encode()
    headers = {
        "github": {"X_GitHub_Event": "pull_request", "X_Hub_Signature_256": sign(service.secret, body)},
        "gitlab": {"X_Gitlab_Event": "Merge Request Hook", "X_Gitlab_Token": service.secret},
        "gitea": {"X_Gitea_Event": "pull_request", "X_Gitea_Signature": hexdigest(service.secret, body)},
        "generic": {"X_Nalm_Signature_256": sign(service.secret, body)},
    }
    return send(service, forge, body, 202, **headers[forge])


def expected(service: Service) -> list[tuple[str, str, float, str, str]]:
    return [
        (one["sha"], one["scenario"], one["bound"], one["source"], one["who"])
        for one in service.get("/projects/demo/expectations")
    ]


@pytest.mark.parametrize("forge", MERGES)
def test_what_a_requests_text_declares_holds_for_its_merge_commit(service: Service, forge: str) -> None:
    tell(service, forge, MERGES[forge])
    tell(service, forge, MERGES[forge] | {"again": 1})
    assert expected(service) == [(MERGED, "sfc_*", pytest.approx(1.03), "request", "mona")]


def test_a_fast_forward_is_expected_at_its_head_and_an_open_request_not_at_all(service: Service) -> None:
    merge = MERGES["gitlab"]["object_attributes"]
    event = MERGES["gitlab"] | {"object_attributes": merge | {"action": "open", "merge_commit_sha": None}}
    tell(service, "gitlab", event)
    assert expected(service) == []
    event["object_attributes"]["action"] = "merge"
    tell(service, "gitlab", event)
    assert [one[0] for one in expected(service)] == [AFTER]


def test_a_requests_text_may_be_missing_or_endless(service: Service) -> None:
    request = MERGES["gitea"]["pull_request"]
    for body in (None, "x" * 1_000_000 + "\nNalm-Expect: * cpp +3% too late"):
        tell(service, "gitea", MERGES["gitea"] | {"pull_request": request | {"body": body}})
    assert expected(service) == []


def test_plain_form(service: Service) -> None:
    def plain(event: Any, status: int) -> Any:
        signature = sign(service.secret, json.dumps(event).encode())
        return send(service, "generic", event, status, X_Nalm_Signature_256=signature)

    push = {"ref": "refs/heads/main", "before": BEFORE, "after": AFTER, "unknown": [1]}
    assert bases(service, plain(push, 202)) == [BEFORE]
    assert "accepted before" in plain(push, 200)["reason"]
    request = {"number": 2, "base": "main", "merge_base": BASE}
    answer = plain({"ref": "refs/heads/x", "after": AFTER, "pull_request": request}, 202)
    assert "fork" in service.get(f"/jobs/{answer['job_ids'][0]}")["held"]
    assert plain({"ref": "refs/notes/x", "after": AFTER}, 200)["status"] == "ignored"


WRONG: list[Any] = [
    {}, [], None, 1, "x", {"ref": None}, {"ref": [], "before": {}, "after": 1}, {"object_kind": []},
    {"ref": "refs/heads/main", "before": "zz", "after": AFTER},
    {"ref": "r" * 5000, "before": BEFORE, "after": AFTER},
    {"object_kind": "merge_request", "object_attributes": {"iid": -1}},
    {"action": "opened", "number": 2**70, "pull_request": {}},
]  # fmt: skip


@pytest.mark.parametrize("forge", ["github", "gitlab", "gitea", "generic"])
def test_wrong_shapes_are_refused_and_stored_nowhere(service: Service, forge: str) -> None:
    for event in ("push", "pull_request"):
        for wrong in WRONG:
            body = json.dumps(wrong).encode()
            headers = {
                "X_GitHub_Event": event, "X_Gitea_Event": event, "X_Gitlab_Event": event,
                "X_Hub_Signature_256": sign(service.secret, body), "X_Gitlab_Token": service.secret,
                "X_Gitea_Signature": hexdigest(service.secret, body),
                "X_Nalm_Signature_256": sign(service.secret, body),
            }  # fmt: skip
            send(service, forge, body, 422, **headers)
    assert service.request("GET", "/projects/demo/deliveries", "admin") == []
