# SPDX-License-Identifier: Apache-2.0
"""Every list of the API takes the same number of queries with one row and with many.

A route that answers with a list is entered in LISTS, or the first test fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nalm_server.alerts.rules.models import ExpectationRow, FloorRow
from nalm_server.base.settings import Settings
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.git.refs.models import BranchRow, PullRequestRow, TagRow
from nalm_server.jobs.hosts.models import HealthRow
from nalm_server.notify.models import NotificationRow
from nalm_server.results.series.models import ProjectMetricRow
from nalm_server_access import TRIAL
from nalm_server_harness import Clock, Service, counted, described_paths, make_service
from nalm_server_reports import body_of, make_report, sha
from nalm_server_seeded import (
    add_administrator,
    add_remeasurement,
    backfill,
    bisect,
    experiment,
    links,
    refinement,
)

SLOWER = {"nat": 200.0}
FEW, MANY = 1, 5
DEMO = "/projects/demo"
LISTS = {
    "/projects": "/projects",
    "/projects/{project}/integrations": f"{DEMO}/integrations",
    "/projects/{project}/notifications": f"{DEMO}/notifications",
    "/projects/{project}/commits": f"{DEMO}/commits",
    "/projects/{project}/metrics": f"{DEMO}/metrics",
    "/projects/{project}/scenarios": f"{DEMO}/scenarios",
    "/projects/{project}/scenarios/{scenario}/functions": f"{DEMO}/scenarios/sfc_a/functions",
    "/projects/{project}/change-points": f"{DEMO}/change-points",
    "/jobs": "/jobs",
    "/projects/{project}/deliveries": f"{DEMO}/deliveries",
    "/projects/{project}/branches": f"{DEMO}/branches",
    "/projects/{project}/tags": f"{DEMO}/tags",
    "/projects/{project}/pull-requests": f"{DEMO}/pull-requests",
    "/projects/{project}/revisions": f"{DEMO}/revisions?q=v",
    "/agents/invitations": "/agents/invitations",
    "/hosts": "/hosts",
    "/hosts/{host}/health": "/hosts/bench-vm-2/health",
    "/pools": "/pools",
    "/projects/{project}/schedules": f"{DEMO}/schedules",
    "/projects/{project}/backfills": f"{DEMO}/backfills",
    "/projects/{project}/links": f"{DEMO}/links",
    "/projects/{project}/refinements": f"{DEMO}/refinements",
    "/projects/{project}/remeasurements": f"{DEMO}/remeasurements",
    "/projects/{project}/bisections": f"{DEMO}/bisections",
    "/projects/{project}/experiments": f"{DEMO}/experiments",
    "/projects/{project}/detection-quality/trials": f"{DEMO}/detection-quality/trials",
    "/projects/{project}/alerts": f"{DEMO}/alerts",
    "/projects/{project}/mutes": f"{DEMO}/mutes",
    "/projects/{project}/expectations": f"{DEMO}/expectations",
    "/projects/{project}/floors": f"{DEMO}/floors",
    "/me/alerts": "/me/alerts",
    "/me/subscriptions": "/me/subscriptions",
    "/accounts": "/accounts",
    "/projects/{project}/people": f"{DEMO}/people",
    "/projects/{project}/tokens": f"{DEMO}/tokens",
    "/audit": "/audit",
    "/projects/{project}/audit": f"{DEMO}/audit",
}
NOT_COUNTED = {
    "/metrics-catalogue": "made of the program's own catalogue",
    "/sign-in/providers": "made of the settings",
    "/projects/{project}/change-points/hosts": "made of documents within the rows of looks",
    "/tokens": "of a signed-in person alone; one query, as for the tokens of a project",
}


def described_lists() -> Iterator[str]:
    """Routes whose answer is a list, as the API description has them."""
    for path, methods in described_paths().items():
        answer = methods.get("get", {}).get("responses", {}).get("200", {})
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        if schema.get("type") == "array":
            yield path.removeprefix("/api/v1")


def test_every_list_is_counted() -> None:
    assert set(described_lists()) == LISTS.keys() | NOT_COUNTED.keys()


@pytest.fixture
def filled(make_settings: Callable[..., Settings], clock: Clock) -> Iterator[Service]:
    made = make_service(make_settings(mail_server="127.0.0.1:1", mail_from="nalm@example.org"), clock)
    add_administrator(made)
    add_rows(made, FEW)
    yield made
    made.context.engine.dispose()


@pytest.mark.nightly
def test_a_list_takes_the_same_number_of_queries_however_long_it_is(filled: Service) -> None:
    few = {route: read(filled, route) for route in LISTS}
    for number in range(FEW + 1, MANY + 1):
        add_rows(filled, number)
    many = {route: read(filled, route) for route in LISTS}
    not_longer = [route for route in LISTS if not 0 < few[route][0] < many[route][0]]
    assert not_longer == []
    more = {route: (few[route][1], many[route][1]) for route in LISTS if few[route][1] != many[route][1]}
    assert more == {}


def read(service: Service, route: str) -> tuple[int, int]:
    """Rows and queries."""
    with counted(service) as statements:
        rows = service.request("GET", LISTS[route], "root")
    return len(rows), len(statements)


def add_rows(service: Service, number: int) -> None:
    """One more row for each list."""
    functions = {"nat": {f"nat_{one}": 100 for one in range(number)}}
    costs: dict[str, Any] = {"head_costs": SLOWER, "head_ipps": {"nat": 400}}
    service.upload(
        body_of(make_report(number, base=10 * number, head=10 * number + 1, functions=functions, **costs))
    )
    other = make_report(
        100 + number, base=10 * number, head=10 * number + 1, scenario=f"sfc_{number}", **costs
    )
    service.upload(body_of(other))
    push = {"ref": "refs/heads/main", "before": sha(1000 + number), "after": sha(1001 + number)}
    service.hook(json.dumps(push).encode(), 202)
    add_by_people(service, number)
    service.post("/agent/lease", "agent", 200, {"host": f"bench-{number}", "host_class": "vm-2"})
    service.request("PATCH", f"/hosts/bench-{number}", "root", json={"pool": f"pool-{number}"})
    add_stored(service, number)


def add_by_people(service: Service, number: int) -> None:
    name = f"n{number}"
    made: dict[str, Any] = {
        "/projects": {"name": name, "repository": f"/srv/{name}.git"},
        f"{DEMO}/integrations": {"name": name, "kind": "email", "recipients": ["a@example.org"]},
        "/agents/invitations": {},
        f"{DEMO}/schedules": {"name": name, "cron": "0 3 * * *"},
        f"{DEMO}/detection-quality/trials": {"trials": [TRIAL | {"key": f"{number:016x}"}]},
        f"{DEMO}/mutes": {"scenario": name, "why": "the host moves"},
        "/me/subscriptions": {"scenario": f"sfc_{number}"},
        "/accounts": {"name": name},
        f"{DEMO}/tokens": {"name": name},
    }
    for path, body in made.items():
        service.post(path, "root", 201, body)
    service.request("PUT", f"{DEMO}/people/{name}", "root", json={"role": "reader"})


def add_stored(service: Service, number: int) -> None:
    """What no request makes alone."""
    now = service.clock()
    project: dict[str, Any] = {"project_id": 1}
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    campaign = {"requested_by": "x", "tries": 0, "state": "running", **project, **times}
    with service.context.sessions() as session:
        session.add(backfill(number, **campaign))
        session.add(links(number, **campaign))
        session.add(refinement(number, **campaign))
        add_remeasurement(session, number, **campaign)
        session.add(bisect(number, **campaign))
        session.add(
            NotificationRow(
                integration_id=1,
                kind="message",
                subject=f"run {number}",
                tries=0,
                requested=1,
                next_try_at=now,
                state="failed",
                **project,
                **times,
            )
        )
        session.add(BranchRow(name=f"v{number}", sha=sha(10 * number + 1), updated_at=now, **project))
        session.add(TagRow(name=f"v{number}.0", sha=sha(10 * number + 1), updated_at=now, **project))
        pull = {"number": number, "state": "open", "head_sha": sha(1), "from_fork": False}
        session.add(PullRequestRow(updated_at=now, **pull, **project))
        session.add(HealthRow(host_id=1, at=now, kept_until=now))
        session.add(experiment(number, "features", **times))
        expected = {"metric": "cpp", "bound": 1.1, "reason": "x", "source": "triage", "who": "x"}
        session.add(ExpectationRow(commit_id=number, scenario="sfc_a", created_at=now, **expected, **project))
        floor: dict[str, Any] = {"stage": "nat", "metric": "cpp", "size": 0.1, "who": "x", "set_at": now}
        session.add(FloorRow(scenario=f"s{number}", host_class="vm-2", **floor, **project))
        at = {"commit_id": number, "low_commit_id": number, "high_commit_id": number}
        step = {"ratio": 1.1, "probability": 0.99, "p_value": 0.01, "state": "standing", "detected_at": now}
        own = {"unit": "bytes", "better": "lower", "source": "command"}
        session.add(ProjectMetricRow(name=f"own_{number}", **own, **project))
        session.add(ChangePointRow(series_id=1, significant=True, **step, **at))
        session.commit()
