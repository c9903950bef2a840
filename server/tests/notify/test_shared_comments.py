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

BASE, HEAD = "a" * 40, "b" * 40
COMMENTS = re.compile(r"/repos/me/nf/issues/(\d+)/comments")


@pytest.fixture
def service(make_settings: Callable[..., Settings], clock: Clock, prepared: Prepared) -> Iterator[Service]:
    made = make_service(make_settings(outgoing_allow="127.0.0.1"), clock, prepared)
    yield made
    made.context.engine.dispose()


def opened(service: Service, number: int) -> int:
    end = {"ref": "main", "sha": BASE, "repo": {"id": 1}}
    request = {"number": number, "head": {**end, "ref": "topic", "sha": HEAD}, "base": end}
    body = json.dumps({"action": "opened", "number": number, "pull_request": request}).encode()
    (job,) = service.hook(body, 202, event="pull_request")["job_ids"]
    return int(job)


def measure(service: Service) -> None:
    lease = service.lease()
    job, fence = lease["job_id"], lease["fence"]
    report = make_report(1, base=BASE, head=HEAD, head_costs={"nat": 180.0}, head_ipps={"nat": 400})
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
