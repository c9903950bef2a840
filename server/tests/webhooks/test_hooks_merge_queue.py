# SPDX-License-Identifier: Apache-2.0
"""GitHub's merge queue: the future state of the branch is measured against the state before it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nalm_server.git.branch_filters.filters import BranchFilters, ForkPullRequests, PushCommits
from nalm_server.git.events import MergeGroupChanged
from nalm_server.polling.differences import differences, merge_groups
from nalm_server.polling.repository import KnownRefs
from nalm_server_harness import Service

BASE, HEAD, NEXT, TOPIC = "a" * 40, "b" * 40, "c" * 40, "d" * 40
NUMBER = 7


def group(head: str, base: str, action: str = "checks_requested", branch: str = "main") -> bytes:
    reported = {
        "head_sha": head,
        "head_ref": f"refs/heads/gh-readonly-queue/{branch}/pr-{NUMBER}-{base}",
        "base_sha": base,
        "base_ref": f"refs/heads/{branch}",
        "head_commit": {"id": head, "message": "Merge pull request #7", "timestamp": "2026-11-20T14:20:41Z"},
    }
    return json.dumps({"action": action, "merge_group": reported}).encode()


def tell(service: Service, body: bytes) -> Any:
    return service.hook(body, 202, event="merge_group")


def opened(service: Service) -> int:
    """Opens the pull request. Returns the id of the job of its own head."""
    end = {"ref": "main", "sha": BASE, "repo": {"id": 1}}
    request = {"number": NUMBER, "head": {**end, "ref": "topic", "sha": TOPIC}, "base": end}
    body = json.dumps({"action": "opened", "number": NUMBER, "pull_request": request}).encode()
    (job,) = service.hook(body, 202, event="pull_request")["job_ids"]
    return int(job)


def test_what_the_queue_waits_for_is_measured_against_what_is_before_it(service: Service) -> None:
    first, second = tell(service, group(HEAD, BASE)), tell(service, group(NEXT, HEAD))
    assert "merge queue of main with pull request 7: bbbbbbb against aaaaaaa" in first["why"]
    found = [service.get(f"/jobs/{one['job_ids'][0]}") for one in (first, second)]
    assert [(job["base_sha"], job["head_sha"]) for job in found] == [(BASE, HEAD), (HEAD, NEXT)]
    assert {(job["reason"], job["pull_request"], job["held"]) for job in found} == {
        ("pull_request", NUMBER, None)
    }
    assert service.get("/projects/demo/commits") == [], "it is of no branch yet"


def test_a_queue_that_is_left_needs_no_result_and_the_pull_request_keeps_its_own(service: Service) -> None:
    own = opened(service)
    (queued,) = tell(service, group(HEAD, BASE))["job_ids"]
    tell(service, group(HEAD, BASE, "destroyed"))
    assert [service.get(f"/jobs/{one}")["state"] for one in (own, queued)] == ["queued", "superseded"]


@pytest.mark.dialects
def test_a_group_that_is_left_leaves_the_next_one_of_the_same_pull_request(service: Service) -> None:
    """Its event may come after that of the group that replaces it."""
    (first,) = tell(service, group(HEAD, BASE))["job_ids"]
    (second,) = tell(service, group(NEXT, BASE))["job_ids"]
    tell(service, group(HEAD, BASE, "destroyed"))
    assert [service.get(f"/jobs/{one}")["state"] for one in (first, second)] == ["superseded", "queued"]


def test_a_queue_into_a_branch_that_is_not_watched(service: Service) -> None:
    answer = tell(service, group(HEAD, BASE, branch="stable/1"))
    assert (answer["job_ids"], "stable/1, which is not watched" in answer["why"]) == ([], True)


def test_the_queues_own_branch_is_no_push(service: Service) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"branches": ["*"]})
    ref = json.loads(group(HEAD, BASE))["merge_group"]["head_ref"]
    body = json.dumps({"ref": ref, "before": "0" * 40, "after": HEAD}).encode()
    assert "merge_group" in service.hook(body, 200)["reason"]
    unknown = service.hook(group(HEAD, BASE, "split"), 200, event="merge_group")
    assert unknown["status"] == "ignored"


def test_what_a_queue_waits_for_is_found_by_its_branch() -> None:
    ref = json.loads(group(HEAD, BASE))["merge_group"]["head_ref"]
    nothing = KnownRefs({}, {}, [])
    watched = BranchFilters(
        "main", ("*",), (), PushCommits.EACH, ForkPullRequests.APPROVE, measure_tags=False
    )
    seen = {ref: HEAD, "refs/heads/gh-readonly-queue/main/pr-7-abc": HEAD}
    assert merge_groups(seen) == [MergeGroupChanged(NUMBER, True, HEAD, "main", BASE)]
    assert differences(watched, nothing, seen) == [], "it is no push"
