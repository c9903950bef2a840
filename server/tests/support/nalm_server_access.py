# SPDX-License-Identifier: Apache-2.0
"""What every route answers to every kind of caller. A new route is entered here, or test_access_matrix fails.

Each row: who may; a request to the private project `quiet`, whose objects the fixture makes. `{job}`, `{run}`
and the like are filled in from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from nalm_server.webhooks.forges import FORGES
from nalm_server_reports import sha


class Who(Enum):
    """The least caller a route lets in."""

    ANYONE = "anyone"
    READER = "reader"
    DEVELOPER = "developer"
    MAINTAINER = "maintainer"
    ADMINISTRATOR = "administrator"
    AGENT = "agent"
    UPLOADER = "uploader"
    KNOWN = "known"
    """Anybody but agents who says who they are."""
    LIST = "list"
    """Anyone; what is listed is what they may read."""
    OTHERWISE = "otherwise"
    """By something else than who calls (a signature, a cookie); tests of its own hold it."""


@dataclass(frozen=True)
class Row:
    who: Who
    path: str
    """With parameters filled in, as it is requested."""
    body: Any = None
    params: dict[str, Any] = field(default_factory=dict)


BASE, SHA = sha(0), sha(1)
PROJECT = "/projects/quiet"
WEEK = "2026-W47"
"""The week of its commit."""

TRIAL = {
    "key": "0" * 16,
    "kind": "aa",
    "name": "a-a/001",
    "scenario": "sfc_a",
    "expected": "same",
    "outcome": "same",
    "correct": True,
    "host": "bench-1",
    "host_class": "vm-2",
    "measured_at": "2026-11-20T12:00:00Z",
}
"""A comparison whose truth is known."""

MATRIX: dict[str, Row] = {
    "GET /health": Row(Who.ANYONE, "/health"),
    "GET /health/live": Row(Who.ANYONE, "/health/live"),
    "GET /health/ready": Row(Who.ANYONE, "/health/ready"),
    "GET /metrics-catalogue": Row(Who.ANYONE, "/metrics-catalogue"),
    "GET /overview": Row(Who.LIST, "/overview"),
    "GET /projects": Row(Who.LIST, "/projects"),
    "POST /projects": Row(Who.ADMINISTRATOR, "/projects", {"name": "new", "repository": "/srv/new.git"}),
    "GET /projects/{project}": Row(Who.READER, PROJECT),
    "PATCH /projects/{project}": Row(Who.MAINTAINER, PROJECT, {}),
    "GET /projects/{project}/commits": Row(Who.READER, f"{PROJECT}/commits"),
    "GET /projects/{project}/commits/search": Row(Who.READER, f"{PROJECT}/commits/search"),
    "GET /projects/{project}/configuration": Row(Who.READER, f"{PROJECT}/configuration"),
    "PUT /projects/{project}/configuration": Row(Who.MAINTAINER, f"{PROJECT}/configuration", {"text": None}),
    "GET /projects/{project}/commits/{sha}": Row(Who.READER, f"{PROJECT}/commits/{SHA}"),
    "GET /projects/{project}/metrics": Row(Who.READER, f"{PROJECT}/metrics"),
    "GET /projects/{project}/scenarios": Row(Who.READER, f"{PROJECT}/scenarios"),
    "GET /projects/{project}/scenarios/{scenario}/history": Row(
        Who.READER, f"{PROJECT}/scenarios/sfc_a/history"
    ),
    "GET /projects/{project}/scenarios/{scenario}/functions": Row(
        Who.READER, f"{PROJECT}/scenarios/sfc_a/functions"
    ),
    "GET /projects/{project}/lines/columns": Row(
        Who.READER, f"{PROJECT}/lines/columns", params={"scenario": "sfc_a", "metric": "cpp"}
    ),
    "GET /projects/{project}/lines": Row(Who.READER, f"{PROJECT}/lines", params={"scenario": "sfc_a"}),
    "GET /projects/{project}/change-points": Row(Who.READER, f"{PROJECT}/change-points"),
    "GET /projects/{project}/change-points/hosts": Row(Who.READER, f"{PROJECT}/change-points/hosts"),
    "GET /projects/{project}/compare": Row(
        Who.READER, f"{PROJECT}/compare", params={"base": BASE, "head": SHA}
    ),
    "GET /projects/{project}/features": Row(Who.READER, f"{PROJECT}/features"),
    "GET /projects/{project}/features/{name}/history": Row(Who.READER, f"{PROJECT}/features/nat/history"),
    "GET /projects/{project}/models": Row(Who.READER, f"{PROJECT}/models"),
    "GET /projects/{project}/ablation": Row(Who.READER, f"{PROJECT}/ablation"),
    "GET /projects/{project}/practices": Row(Who.READER, f"{PROJECT}/practices"),
    "GET /projects/{project}/predictions": Row(Who.READER, f"{PROJECT}/predictions"),
    "GET /projects/{project}/predictions/bounds": Row(Who.READER, f"{PROJECT}/predictions/bounds"),
    "GET /runs/{run_id}/acceptance": Row(Who.READER, "/runs/{run}/acceptance"),
    "POST /runs/{run_id}/acceptance": Row(Who.MAINTAINER, "/runs/{run}/acceptance", {"why": "longer keys"}),
    "GET /runs/{run_id}/model-inputs": Row(Who.READER, "/runs/{run}/model-inputs"),
    "POST /projects/{project}/predictions/speedup": Row(
        Who.READER,
        f"{PROJECT}/predictions/speedup",
        {"rates": [{"lcores": n, "rates": [n]} for n in (1, 2, 4)]},
    ),
    "POST /projects/{project}/predictions/roles": Row(
        Who.READER,
        f"{PROJECT}/predictions/roles",
        {"work": {"dispatch": 1, "workers": 3, "databases": 1}, "lcores": 4, "frequency_hz": 2e9},
    ),
    "POST /projects/{project}/predictions/queue": Row(
        Who.READER,
        f"{PROJECT}/predictions/queue",
        {"pps": [1e6], "queue": 64, "batch": 8, "line": {"base_ns": 90, "packet_ns": 9}},
    ),
    "POST /projects/{project}/predictions/budget": Row(
        Who.READER,
        f"{PROJECT}/predictions/budget",
        {"pps": 2e7, "lcores": 8, "frequency_hz": 2e9, "cpp": 400},
    ),
    "POST /projects/{project}/predictions/capacity": Row(
        Who.READER, f"{PROJECT}/predictions/capacity", {"chip": "npu", "demand": {"cores": 104}}
    ),
    "POST /projects/{project}/predictions/cost": Row(
        Who.READER, f"{PROJECT}/predictions/cost", {"designs": {"one": [9, 8, 9, 8]}, "weights": [0, 1]}
    ),
    "POST /projects/{project}/predictions/break-even": Row(
        Who.READER, f"{PROJECT}/predictions/break-even", {"first": 900, "later": 180, "without": 258}
    ),
    "POST /projects/{project}/predictions/lines": Row(
        Who.READER, f"{PROJECT}/predictions/lines", {"cache_bytes": 49152, "metadata": [32]}
    ),
    "GET /projects/{project}/alerts": Row(Who.READER, f"{PROJECT}/alerts"),
    "GET /projects/{project}/alerts/facets": Row(Who.READER, f"{PROJECT}/alerts/facets"),
    "POST /projects/{project}/alerts/undo": Row(Who.DEVELOPER, f"{PROJECT}/alerts/undo", {"alerts": [1]}),
    "POST /projects/{project}/alerts/bulk": Row(
        Who.DEVELOPER, f"{PROJECT}/alerts/bulk", {"alerts": [1], "assign": {"assignee": None}}
    ),
    "GET /alerts/{alert_id}": Row(Who.OTHERWISE, "/alerts/1"),
    "POST /alerts/{alert_id}/state": Row(Who.OTHERWISE, "/alerts/1/state"),
    "POST /alerts/{alert_id}/assign": Row(Who.OTHERWISE, "/alerts/1/assign"),
    "POST /alerts/{alert_id}/comments": Row(Who.OTHERWISE, "/alerts/1/comments"),
    "GET /projects/{project}/mutes": Row(Who.READER, f"{PROJECT}/mutes"),
    "POST /projects/{project}/mutes": Row(
        Who.DEVELOPER, f"{PROJECT}/mutes", {"scenario": "sfc_*", "why": "the host moves"}
    ),
    "DELETE /projects/{project}/mutes/{number}": Row(Who.OTHERWISE, f"{PROJECT}/mutes/1"),
    "GET /projects/{project}/expectations": Row(Who.READER, f"{PROJECT}/expectations"),
    "GET /projects/{project}/floors": Row(Who.READER, f"{PROJECT}/floors"),
    "DELETE /projects/{project}/floors/{number}": Row(Who.OTHERWISE, f"{PROJECT}/floors/1"),
    "GET /me/alerts": Row(Who.OTHERWISE, "/me/alerts"),
    "GET /me/subscriptions": Row(Who.OTHERWISE, "/me/subscriptions"),
    "POST /me/subscriptions": Row(Who.OTHERWISE, "/me/subscriptions"),
    "DELETE /me/subscriptions/{number}": Row(Who.OTHERWISE, "/me/subscriptions/1"),
    "GET /projects/{project}/ncpp": Row(Who.READER, f"{PROJECT}/ncpp"),
    "GET /projects/{project}/integrations": Row(Who.MAINTAINER, f"{PROJECT}/integrations"),
    "POST /projects/{project}/integrations": Row(
        Who.MAINTAINER,
        f"{PROJECT}/integrations",
        {"name": "mail", "kind": "email", "recipients": ["a@example.org"]},
    ),
    "PATCH /projects/{project}/integrations/{number}": Row(Who.OTHERWISE, f"{PROJECT}/integrations/1"),
    "DELETE /projects/{project}/integrations/{number}": Row(Who.OTHERWISE, f"{PROJECT}/integrations/1"),
    "POST /projects/{project}/integrations/{number}/test": Row(
        Who.OTHERWISE, f"{PROJECT}/integrations/1/test"
    ),
    "GET /projects/{project}/notifications": Row(Who.MAINTAINER, f"{PROJECT}/notifications"),
    "POST /projects/{project}/notifications/{number}/redeliver": Row(
        Who.OTHERWISE, f"{PROJECT}/notifications/1/redeliver"
    ),
    "GET /projects/{project}/feed.atom": Row(Who.READER, f"{PROJECT}/feed.atom"),
    "POST /projects/{project}/feed-token": Row(Who.MAINTAINER, f"{PROJECT}/feed-token", {}),
    "GET /projects/{project}/badge.svg": Row(Who.READER, f"{PROJECT}/badge.svg"),
    "POST /projects/{project}/badge-token": Row(Who.MAINTAINER, f"{PROJECT}/badge-token", {}),
    "GET /projects/{project}/weeks": Row(Who.READER, f"{PROJECT}/weeks"),
    "GET /projects/{project}/weeks/{week}": Row(Who.READER, f"{PROJECT}/weeks/{WEEK}"),
    "GET /projects/{project}/people": Row(Who.MAINTAINER, f"{PROJECT}/people"),
    "PUT /projects/{project}/people/{account}": Row(
        Who.MAINTAINER, f"{PROJECT}/people/reader", {"role": "reader"}
    ),
    "DELETE /projects/{project}/people/{account}": Row(Who.OTHERWISE, f"{PROJECT}/people/reader"),
    "GET /projects/{project}/tokens": Row(Who.MAINTAINER, f"{PROJECT}/tokens"),
    "POST /projects/{project}/tokens": Row(Who.MAINTAINER, f"{PROJECT}/tokens", {"name": "ci"}),
    "DELETE /projects/{project}/tokens/{token_id}": Row(Who.OTHERWISE, f"{PROJECT}/tokens/1"),
    "GET /projects/{project}/audit": Row(Who.MAINTAINER, f"{PROJECT}/audit"),
    "GET /audit": Row(Who.ADMINISTRATOR, "/audit"),
    "GET /accounts": Row(Who.ADMINISTRATOR, "/accounts"),
    "POST /accounts": Row(Who.ADMINISTRATOR, "/accounts", {"name": "new"}),
    "PATCH /accounts/{account}": Row(Who.ADMINISTRATOR, "/accounts/reader", {}),
    "POST /accounts/{account}/link": Row(Who.ADMINISTRATOR, "/accounts/reader/link"),
    "GET /session": Row(Who.ANYONE, "/session"),
    "POST /session": Row(Who.OTHERWISE, "/session"),
    "DELETE /session": Row(Who.ANYONE, "/session"),
    "PUT /session/password": Row(Who.OTHERWISE, "/session/password"),
    "GET /projects/{project}/export": Row(Who.READER, f"{PROJECT}/export"),
    "POST /projects/{project}/imports": Row(Who.MAINTAINER, f"{PROJECT}/imports", params={"format": "csv"}),
    "GET /sign-in/providers": Row(Who.ANYONE, "/sign-in/providers"),
    "GET /sign-in/{provider}/start": Row(Who.OTHERWISE, "/sign-in/none/start"),
    "GET /sign-in/{provider}/callback": Row(Who.OTHERWISE, "/sign-in/none/callback"),
    "GET /tokens": Row(Who.OTHERWISE, "/tokens"),
    "POST /tokens": Row(Who.OTHERWISE, "/tokens"),
    "DELETE /tokens/{token_id}": Row(Who.OTHERWISE, "/tokens/1"),
    "GET /projects/{project}/compare/all": Row(
        Who.READER, f"{PROJECT}/compare/all", params={"base": BASE, "head": SHA}
    ),
    "GET /projects/{project}/compare/code": Row(
        Who.READER, f"{PROJECT}/compare/code", params={"base": BASE, "head": SHA}
    ),
    "GET /projects/{project}/compare/source": Row(
        Who.READER,
        f"{PROJECT}/compare/source",
        params={"base": BASE, "head": SHA, "function": "nat_lookup", "stage": "nat"},
    ),
    "GET /projects/{project}/compare/measured": Row(
        Who.READER, f"{PROJECT}/compare/measured", params={"revision": SHA}
    ),
    "GET /projects/{project}/revisions": Row(Who.READER, f"{PROJECT}/revisions", params={"q": "a"}),
    "GET /projects/{project}/retention": Row(Who.READER, f"{PROJECT}/retention"),
    "PUT /projects/{project}/retention": Row(
        Who.MAINTAINER, f"{PROJECT}/retention", {"report_days": 90, "log_days": 30}
    ),
    "GET /jobs": Row(Who.LIST, "/jobs"),
    "GET /jobs/{job_id}": Row(Who.READER, "/jobs/{job}"),
    "POST /jobs/{job_id}/cancel": Row(Who.DEVELOPER, "/jobs/{job}/cancel", {}),
    "POST /jobs/{job_id}/retry": Row(Who.DEVELOPER, "/jobs/{job}/retry", {}),
    "POST /jobs/{job_id}/boost": Row(Who.DEVELOPER, "/jobs/{job}/boost", {}),
    "POST /jobs/{job_id}/approve": Row(Who.DEVELOPER, "/jobs/{job}/approve", {}),
    "POST /jobs/{job_id}/reject": Row(Who.DEVELOPER, "/jobs/{job}/reject", {}),
    "POST /projects/{project}/jobs": Row(Who.DEVELOPER, f"{PROJECT}/jobs", {"head": SHA, "base": SHA}),
    "GET /projects/{project}/queue": Row(Who.READER, f"{PROJECT}/queue"),
    "PUT /projects/{project}/queue": Row(Who.MAINTAINER, f"{PROJECT}/queue", {"latest_only": False}),
    "GET /projects/{project}/schedules": Row(Who.READER, f"{PROJECT}/schedules"),
    "POST /projects/{project}/schedules": Row(
        Who.MAINTAINER, f"{PROJECT}/schedules", {"name": "nightly", "cron": "0 3 * * *"}
    ),
    "PATCH /projects/{project}/schedules/{schedule}": Row(
        Who.MAINTAINER, f"{PROJECT}/schedules/weekly", {"enabled": False}
    ),
    "DELETE /projects/{project}/schedules/{schedule}": Row(Who.OTHERWISE, f"{PROJECT}/schedules/weekly"),
    "GET /projects/{project}/detection-quality": Row(Who.READER, f"{PROJECT}/detection-quality"),
    "PUT /projects/{project}/detection-quality/controls": Row(
        Who.MAINTAINER, f"{PROJECT}/detection-quality/controls", {"controls_per_day": 2}
    ),
    "POST /projects/{project}/detection-quality/trials": Row(
        Who.UPLOADER, f"{PROJECT}/detection-quality/trials", {"trials": [TRIAL]}
    ),
    "GET /projects/{project}/detection-quality/trials": Row(
        Who.READER, f"{PROJECT}/detection-quality/trials"
    ),
    "GET /projects/{project}/detection-quality/trials/{trial_id}/report": Row(
        Who.OTHERWISE, f"{PROJECT}/detection-quality/trials/1/report"
    ),
    "POST /projects/{project}/bisections": Row(
        Who.DEVELOPER, f"{PROJECT}/bisections", {"good": SHA, "bad": SHA, "scenario": "sfc_a"}
    ),
    "GET /projects/{project}/bisections": Row(Who.READER, f"{PROJECT}/bisections"),
    "GET /bisections/{bisect_id}": Row(Who.READER, "/bisections/{job}"),
    "POST /alerts/{alert_id}/confirm": Row(Who.DEVELOPER, "/alerts/{job}/confirm"),
    "POST /alerts/{alert_id}/bisect": Row(Who.DEVELOPER, "/alerts/{job}/bisect"),
    "POST /bisections/{bisect_id}/cancel": Row(Who.DEVELOPER, "/bisections/{job}/cancel"),
    "POST /projects/{project}/backfills": Row(
        Who.DEVELOPER, f"{PROJECT}/backfills", {"first": SHA, "last": SHA}
    ),
    "GET /projects/{project}/backfills": Row(Who.READER, f"{PROJECT}/backfills"),
    "GET /backfills/{backfill_id}": Row(Who.READER, "/backfills/{job}"),
    "POST /backfills/{backfill_id}/cancel": Row(Who.DEVELOPER, "/backfills/{job}/cancel"),
    "GET /projects/{project}/scenarios/{scenario}/links": Row(Who.READER, f"{PROJECT}/scenarios/sfc_a/links"),
    "POST /projects/{project}/links": Row(Who.DEVELOPER, f"{PROJECT}/links", {"scenario": "sfc_a"}),
    "GET /projects/{project}/links": Row(Who.READER, f"{PROJECT}/links"),
    "GET /projects/{project}/links/plan": Row(Who.READER, f"{PROJECT}/links/plan"),
    "PUT /projects/{project}/links/plan": Row(Who.MAINTAINER, f"{PROJECT}/links/plan", {"links_per_day": 2}),
    "GET /links/{links_id}": Row(Who.READER, "/links/{job}"),
    "POST /links/{links_id}/cancel": Row(Who.DEVELOPER, "/links/{job}/cancel"),
    "GET /projects/{project}/scenarios/{scenario}/pool": Row(
        Who.READER, f"{PROJECT}/scenarios/sfc_a/pool", params={"base": BASE, "head": SHA}
    ),
    "GET /projects/{project}/scenarios/{scenario}/margin-plan": Row(
        Who.READER, f"{PROJECT}/scenarios/sfc_a/margin-plan"
    ),
    "GET /projects/{project}/refinements": Row(Who.READER, f"{PROJECT}/refinements"),
    "GET /projects/{project}/refinements/plan": Row(Who.READER, f"{PROJECT}/refinements/plan"),
    "PUT /projects/{project}/refinements/plan": Row(
        Who.MAINTAINER, f"{PROJECT}/refinements/plan", {"minutes_per_day": 2}
    ),
    "GET /refinements/{refinement_id}": Row(Who.READER, "/refinements/{job}"),
    "POST /refinements/{refinement_id}/cancel": Row(Who.DEVELOPER, "/refinements/{job}/cancel"),
    "GET /projects/{project}/remeasurements": Row(Who.READER, f"{PROJECT}/remeasurements"),
    "GET /remeasurements/{remeasurement_id}": Row(Who.READER, "/remeasurements/{job}"),
    "POST /remeasurements/{remeasurement_id}/cancel": Row(Who.DEVELOPER, "/remeasurements/{job}/cancel"),
    "POST /projects/{project}/experiments": Row(
        Who.DEVELOPER, f"{PROJECT}/experiments", {"kind": "features", "revision": SHA}
    ),
    "GET /projects/{project}/experiments": Row(Who.READER, f"{PROJECT}/experiments"),
    "GET /experiments/{experiment_id}": Row(Who.READER, "/experiments/{job}"),
    "GET /experiments/{experiment_id}/cells/{number}/report": Row(
        Who.READER, "/experiments/{job}/cells/{job}/report"
    ),
    "POST /experiments/{experiment_id}/cancel": Row(Who.DEVELOPER, "/experiments/{job}/cancel"),
    "GET /live": Row(Who.OTHERWISE, "/live"),
    "GET /runs/{run_id}": Row(Who.READER, "/runs/{run}"),
    "GET /runs/{run_id}/report": Row(Who.READER, "/runs/{run}/report"),
    "GET /runs/{run_id}/counts": Row(Who.READER, "/runs/{run}/counts"),
    "GET /runs/{run_id}/code": Row(Who.READER, "/runs/{run}/code"),
    "GET /runs/{run_id}/source": Row(
        Who.READER, "/runs/{run}/source", params={"function": "nat_lookup", "stage": "nat"}
    ),
    "GET /runs/{run_id}/rates": Row(Who.READER, "/runs/{run}/rates"),
    "GET /runs/{run_id}/{form}": Row(Who.READER, "/runs/{run}/markdown"),
    "GET /projects/{project}/commits/{sha}/{form}": Row(Who.READER, f"{PROJECT}/commits/{SHA}/junit"),
    "POST /reports": Row(Who.UPLOADER, "/reports"),
    **{f"POST /hooks/{one}": Row(Who.OTHERWISE, f"/hooks/{one}") for one in FORGES},
    "GET /projects/{project}/deliveries": Row(Who.MAINTAINER, f"{PROJECT}/deliveries"),
    "POST /projects/{project}/deliveries/{number}/redeliver": Row(
        Who.MAINTAINER, f"{PROJECT}/deliveries/1/redeliver"
    ),
    "POST /projects/{project}/deliveries/trial": Row(Who.MAINTAINER, f"{PROJECT}/deliveries/trial"),
    "GET /projects/{project}/branches": Row(Who.READER, f"{PROJECT}/branches"),
    "GET /projects/{project}/tags": Row(Who.READER, f"{PROJECT}/tags"),
    "GET /projects/{project}/pull-requests": Row(Who.READER, f"{PROJECT}/pull-requests"),
    "GET /projects/{project}/branch-filters": Row(Who.MAINTAINER, f"{PROJECT}/branch-filters"),
    "PUT /projects/{project}/branch-filters": Row(Who.MAINTAINER, f"{PROJECT}/branch-filters", {}),
    "POST /projects/{project}/webhook-secret": Row(Who.MAINTAINER, f"{PROJECT}/webhook-secret", {}),
    "PUT /projects/{project}/read-token": Row(Who.MAINTAINER, f"{PROJECT}/read-token", {"token": "x"}),
    "DELETE /projects/{project}/read-token": Row(Who.MAINTAINER, f"{PROJECT}/read-token"),
    "POST /agent/lease": Row(Who.AGENT, "/agent/lease", {"host": "h", "host_class": "c"}),
    "POST /agent/jobs/{job_id}/progress": Row(
        Who.AGENT, "/agent/jobs/{job}/progress", {"fence": 99, "step": "building"}
    ),
    "POST /agent/jobs/{job_id}/release": Row(
        Who.AGENT, "/agent/jobs/{job}/release", {"fence": 99, "reason": "drained"}
    ),
    "POST /agent/jobs/{job_id}/finish": Row(
        Who.AGENT, "/agent/jobs/{job}/finish", {"fence": 99, "outcome": "done"}
    ),
    "POST /agent/register": Row(Who.OTHERWISE, "/agent/register"),
    "POST /agent/rotate": Row(Who.OTHERWISE, "/agent/rotate"),
    "POST /agent/rotated": Row(Who.OTHERWISE, "/agent/rotated"),
    "GET /agents/invitations": Row(Who.ADMINISTRATOR, "/agents/invitations"),
    "POST /agents/invitations": Row(Who.ADMINISTRATOR, "/agents/invitations", {}),
    "DELETE /agents/invitations/{invitation_id}": Row(Who.OTHERWISE, "/agents/invitations/1"),
    "GET /hosts": Row(Who.KNOWN, "/hosts"),
    "GET /hosts/{host}": Row(Who.KNOWN, "/hosts/bench-vm-2"),
    "GET /hosts/{host}/health": Row(Who.KNOWN, "/hosts/bench-vm-2/health"),
    "GET /hosts/{host}/noise": Row(Who.KNOWN, "/hosts/bench-vm-2/noise"),
    "GET /host-factors": Row(Who.KNOWN, "/host-factors"),
    "POST /hosts/{host}/drain": Row(Who.ADMINISTRATOR, "/hosts/bench-vm-2/drain"),
    "POST /hosts/{host}/resume": Row(Who.ADMINISTRATOR, "/hosts/bench-vm-2/resume"),
    "POST /hosts/{host}/revoke": Row(Who.ADMINISTRATOR, "/hosts/bench-vm-2/revoke"),
    "PATCH /hosts/{host}": Row(Who.ADMINISTRATOR, "/hosts/bench-vm-2", {"pool": "lab"}),
    "GET /pools": Row(Who.ADMINISTRATOR, "/pools"),
    "PUT /projects/{project}/pool": Row(Who.ADMINISTRATOR, f"{PROJECT}/pool", {"pool": "lab"}),
}
