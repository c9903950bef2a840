# SPDX-License-Identifier: Apache-2.0
"""Each of two pull requests with the same head and base has a comment about their one job."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from nalm_server.base.settings import Settings
from nalm_server.notify.tasks import drain
from nalm_server_forge import FakeForge
from nalm_server_harness import Clock, Prepared, Service, make_service
from nalm_server_reports import body_of, make_report
from nalm_server_sockets import serving

BASE, HEAD, OTHER = "a" * 40, "b" * 40, "c" * 40
COMMENTS = re.compile(r"/repos/me/nf/issues/(\d+)/comments")


@pytest.fixture
def service(make_settings: Callable[..., Settings], clock: Clock, prepared: Prepared) -> Iterator[Service]:
    made = make_service(make_settings(outgoing_allow="127.0.0.1"), clock, prepared)
    yield made
    made.context.engine.dispose()


def opened(service: Service, number: int, head: str = HEAD, action: str = "opened") -> int:
    end = {"ref": "main", "sha": BASE, "repo": {"id": 1}}
    request = {"number": number, "head": {**end, "ref": "topic", "sha": head}, "base": end}
    body = json.dumps({"action": action, "number": number, "pull_request": request}).encode()
    (job,) = service.hook(body, 202, event="pull_request")["job_ids"]
    return int(job)


def measure(service: Service, number: int = 1) -> None:
    lease = service.lease()
    job, fence, head = lease["job_id"], lease["fence"], lease["head_sha"]
    report = make_report(number, base=BASE, head=head, head_costs={"nat": 180.0}, head_ipps={"nat": 400})
    service.upload(body_of(report), token="agent", job_id=job, fence=fence)
    service.post(f"/agent/jobs/{job}/finish", "agent", 200, {"fence": fence, "outcome": "done"})


@pytest.mark.dialects
@pytest.mark.parametrize("late", [True, False])
def test_each_has_a_comment(service: Service, late: bool) -> None:
    """late: the second one opens when the job is done."""
    fake = FakeForge("github")
    with serving(fake) as server:
        body = {"name": "f", "kind": "github", "url": server.url, "repository": "me/nf", "token": "good"}
        service.post("/projects/demo/integrations", "admin", 201, body)
        job = opened(service, 1)
        if late:
            measure(service)
            drain(service.context)
        assert opened(service, 2) == job
        if not late:
            measure(service)
        drain(service.context)
        commented = [COMMENTS.match(one.path) for one in server.seen]
    assert {one[1] for one in commented if one is not None} == {"1", "2"}
    assert all("regressed" in one["body"] for one in fake.comments.values())


@pytest.mark.dialects
@pytest.mark.parametrize("measured_before", [True, False])
def test_a_head_that_was_pushed_back_has_the_comment(service: Service, measured_before: bool) -> None:
    """The head is pushed away and back; its job is older than that of the head between."""
    fake = FakeForge("github")
    with serving(fake) as server:
        body = {"name": "f", "kind": "github", "url": server.url, "repository": "me/nf", "token": "good"}
        service.post("/projects/demo/integrations", "admin", 201, body)
        job = opened(service, 1)
        if measured_before:
            measure(service)
        assert opened(service, 1, OTHER, "synchronize") != job
        if measured_before:
            measure(service, 2)
            drain(service.context)
            (comment,) = fake.comments.values()
            assert OTHER[:7] in comment["body"]
        assert opened(service, 1, HEAD, "synchronize") == job
        if not measured_before:
            measure(service)
        drain(service.context)
        (comment,) = fake.comments.values()
    assert "regressed" in comment["body"] and HEAD[:7] in comment["body"]
