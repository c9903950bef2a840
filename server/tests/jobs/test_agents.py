# SPDX-License-Identifier: Apache-2.0
"""Agents are invited, registered, given jobs that match their abilities, drained, and revoked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nalm_server.jobs.agents.needs import FLAGS, UNITS, Capabilities, Needs, missing
from nalm_server.jobs.models import JobRow
from nalm_server_harness import Clock, Service
from nalm_server_reports import body_of, make_report, sha


def push(service: Service, number: int) -> int:
    body = {"ref": "refs/heads/main", "before": sha(number - 1), "after": sha(number)}
    return int(service.hook(json.dumps(body).encode(), 202)["job_ids"][0])


def admin(service: Service, method: str, path: str, status: int = 200, **body: Any) -> Any:
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    answer = service.client.request(method, f"/api/v1{path}", headers=headers, json=body or None)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def invite(service: Service, **expected: Any) -> str:
    return str(service.post("/agents/invitations", "admin", 201, expected)["token"])


def register(
    service: Service, name: str, status: int = 201, invitation: str | None = None, **more: Any
) -> Any:
    reported = {"invitation": invitation or invite(service), "name": name, "host_class": "vm-2", **more}
    answer = service.client.post("/api/v1/agent/register", json=reported)
    assert answer.status_code == status, answer.text
    if status == 201:
        service.tokens[name] = answer.json()["token"]
    return answer.json()


def lease(service: Service, name: str, status: int = 200, token: str | None = None, **more: Any) -> Any:
    return service.post("/agent/lease", token or name, status, {"host": name, "host_class": "vm-2", **more})


def why_idle(service: Service, name: str, **more: Any) -> str | None:
    headers = {"Authorization": f"Bearer {service.tokens[name]}"}
    body = {"host": name, "host_class": "vm-2", **more}
    answer = service.client.post("/api/v1/agent/lease", json=body, headers=headers)
    assert answer.status_code == 204, answer.text
    return answer.headers.get("Nalm-Agent-State")


def state_of(service: Service, name: str) -> tuple[str, str | None]:
    host = admin(service, "GET", f"/hosts/{name}")
    return host["state"], host["reason"]


def finish(service: Service, name: str, given: dict[str, Any], status: int = 200, **more: Any) -> Any:
    reported = {"fence": given["fence"], "outcome": "done", **more}
    return service.post(f"/agent/jobs/{given['job_id']}/finish", name, status, reported)


@pytest.mark.dialects
def test_an_invitation_is_good_once(service: Service, clock: Clock) -> None:
    invitation = invite(service, pool="lab")
    assert register(service, "bench-7", invitation=invitation)["pool"] == "lab"
    assert "was used" in register(service, "bench-8", 401, invitation)["error"]["message"]
    (listed,) = admin(service, "GET", "/agents/invitations")
    assert (listed["used_by"], listed["pool"], "token" in listed) == ("bench-7", "lab", False)
    late = invite(service, hours=1.0)
    clock.pass_seconds(3600)
    assert "expired at" in register(service, "bench-8", 401, late)["error"]["message"]
    withdrawn = invite(service)
    number = admin(service, "GET", "/agents/invitations")[0]["id"]
    admin(service, "DELETE", f"/agents/invitations/{number}", 204)
    assert "withdrawn" in register(service, "bench-8", 401, withdrawn)["error"]["message"]
    admin(service, "DELETE", f"/agents/invitations/{number}", 404)


def test_an_invitation_may_be_for_one_host_and_one_pool(service: Service) -> None:
    register(service, "bench-8", 403, invite(service, name="bench-7"))
    register(service, "bench-7", 403, invite(service, pool="lab"), pool="other")
    register(service, "bench-7", 201)
    again = register(service, "bench-7", 409)
    assert "agent invite --name bench-7" in again["error"]["message"]
    old = service.tokens["bench-7"]
    register(service, "bench-7", 201, invite(service, name="bench-7"))
    service.tokens["old"] = old
    lease(service, "bench-7", 401, token="old")
    lease(service, "bench-7", 204)


def test_only_administrators_invite_and_only_agents_rotate(service: Service) -> None:
    service.post("/agents/invitations", "upload", 403, {})
    service.post("/agents/invitations", "agent", 403, {})
    invite(service)
    for token, status in (("upload", 403), ("agent", 403), ("admin", 204)):
        headers = {"Authorization": f"Bearer {service.tokens[token]}"}
        answer = service.client.delete("/api/v1/agents/invitations/1", headers=headers)
        assert answer.status_code == status
    service.post("/agent/rotate", "agent", 403, {})  # a shared token belongs to no host


def test_an_agent_speaks_for_its_host_and_its_pool_only(service: Service) -> None:
    register(service, "bench-7")
    lease(service, "bench-8", 403, token="bench-7")
    lease(service, "bench-7", 403, pool="lab")
    lease(service, "bench-7", 403, token="agent")
    assert why_idle(service, "bench-7", pool="default") is None


def test_an_agent_can_do_nothing_to_anothers_job(service: Service) -> None:
    push(service, 1)
    register(service, "bench-7")
    register(service, "bench-8")
    given = lease(service, "bench-7")
    where = f"/agent/jobs/{given['job_id']}"
    for path, reported in (
        ("progress", {"step": "building"}),
        ("finish", {"outcome": "done"}),
        ("release", {"reason": "mine now"}),
    ):
        service.post(f"{where}/{path}", "bench-8", 409, {"fence": given["fence"], **reported})
    report = body_of(make_report(1))
    service.upload(report, 409, "bench-8", job_id=given["job_id"], fence=given["fence"])
    service.upload(report, 201, "bench-7", job_id=given["job_id"], fence=given["fence"])
    assert finish(service, "bench-7", given) == {"state": "done"}


def test_credentials_are_rotated_in_two_steps(service: Service) -> None:
    register(service, "bench-7")
    service.tokens["new"] = service.post("/agent/rotate", "bench-7", 201, {})["token"]
    lease(service, "bench-7", 204)  # its answer may have been lost: the old one is still good
    lease(service, "bench-7", 204, token="new")
    service.post("/agent/rotated", "new", 204, {})
    lease(service, "bench-7", 401)
    lease(service, "bench-7", 204, token="new")


@pytest.mark.dialects
def test_a_revoked_agent_is_out_at_once_and_comes_in_again_by_an_invitation(service: Service) -> None:
    push(service, 1)
    register(service, "bench-7")
    given = lease(service, "bench-7")
    assert admin(service, "POST", "/hosts/bench-7/revoke")["state"] == "revoked"
    finish(service, "bench-7", given, 401)
    lease(service, "bench-7", 403, token="agent")
    register(service, "bench-7")
    lease(service, "bench-7", 204)
    assert state_of(service, "bench-7") == ("online", None)


@pytest.mark.dialects
def test_a_draining_host_ends_what_it_has(service: Service) -> None:
    push(service, 1)
    push(service, 2)
    register(service, "bench-7")
    given = lease(service, "bench-7")
    assert admin(service, "POST", "/hosts/bench-7/drain")["job_id"] == given["job_id"]
    service.upload(body_of(make_report(1)), 201, "bench-7", job_id=given["job_id"], fence=given["fence"])
    finish(service, "bench-7", given)
    assert (why_idle(service, "bench-7") or "").startswith("draining: since")
    assert admin(service, "POST", "/hosts/bench-7/resume")["state"] == "online"
    assert lease(service, "bench-7")["head_sha"] == sha(2)


@pytest.mark.dialects
@pytest.mark.parametrize(
    ("reported", "reason"),
    [
        ({"health": {"disk_free_bytes": 5 << 20}}, "its disk is full (5 MiB free"),
        ({"health": {"resolves": 0.31}}, "too noisy: it resolves no change under 31.0 %"),
        ({"health": {}, "clock": "2026-11-21T10:00:00Z"}, "clock is +3600 s off"),
    ],
)
def test_a_sick_host_is_given_nothing(service: Service, reported: dict[str, Any], reason: str) -> None:
    job_id = push(service, 1)
    register(service, "bench-7")
    assert reason in (why_idle(service, "bench-7", **reported) or "")
    assert state_of(service, "bench-7")[0] == "sick"
    waiting = service.get(f"/jobs/{job_id}")["waiting"]
    assert "bench-7 is sick" in waiting
    assert reason in waiting
    well = {"health": {"disk_free_bytes": 1 << 40, "resolves": 0.01}, "clock": "2026-11-21T09:00:00Z"}
    assert lease(service, "bench-7", **well)["job_id"] == job_id
    assert service.get(f"/jobs/{job_id}")["waiting"] is None


@pytest.mark.dialects
def test_an_agent_too_old_or_too_new_gets_what_to_do(service: Service) -> None:
    register(service, "bench-7")
    for api, words in ((0, "install the nalm-agent"), (99, "update the server, or install")):
        error = lease(service, "bench-7", 426, api=api, version="0.0.1")["error"]
        assert error["name"] == "upgrade_required"
        assert words in error["message"]


def test_a_host_that_is_refused_says_why_until_it_fits(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    register(service, "bench-7")
    lease(service, "bench-7", 426, api=0, version="0.0.1")
    clock.pass_seconds(360)  # it asks every five
    state, reason = state_of(service, "bench-7")
    assert (state, "install the nalm-agent" in (reason or "")) == ("sick", True)
    assert "bench-7 is sick" in service.get(f"/jobs/{job_id}")["waiting"]
    clock.pass_seconds(360)
    assert state_of(service, "bench-7")[0] == "offline"
    assert lease(service, "bench-7")["job_id"] == job_id
    assert state_of(service, "bench-7")[0] == "online"


@pytest.mark.dialects
def test_projects_are_measured_by_the_hosts_of_their_pool(service: Service) -> None:
    job_id = push(service, 1)
    register(service, "bench-7", invitation=invite(service, pool="lab"))
    assert why_idle(service, "bench-7") is None
    assert "pool default has no host" in service.get(f"/jobs/{job_id}")["waiting"]
    pool = admin(service, "PUT", "/projects/demo/pool", pool="lab")
    assert pool == {"name": "lab", "hosts": {"online": 1}, "projects": ["demo"], "queued": 1}
    assert lease(service, "bench-7")["job_id"] == job_id
    assert admin(service, "PATCH", "/hosts/bench-7", pool="default")["pool"] == "default"
    assert [one["name"] for one in admin(service, "GET", "/pools")] == ["default", "lab"]
    assert [one["name"] for one in admin(service, "GET", "/hosts?pool=default")] == ["bench-7"]


SMALL = {"lcores": 2, "memory_mb": 4096}
LARGE = {"lcores": 8, "memory_mb": 65536, "pmu": True}


@pytest.mark.dialects
def test_what_a_host_cannot_measure_goes_to_one_that_can(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    for name in ("small", "large"):
        register(service, name)
    first = lease(service, "small", capabilities=SMALL)
    assert first["measured"] == []
    lease(service, "large", 204, capabilities=LARGE)
    service.upload(body_of(make_report(1)), 201, "small", job_id=job_id, fence=first["fence"])
    not_here = [{"scenario": "wide", "needs": {"lcores": 4}}, {"scenario": "sfc_a", "needs": {"lcores": 64}}]
    assert finish(service, "small", first, not_here=not_here) == {"state": "queued"}
    job = service.get(f"/jobs/{job_id}")
    assert job["transitions"][-1]["reason"].endswith("not here: wide; wide needs 4 lcores (it has 2)")
    clock.pass_seconds(300)
    lease(service, "small", 204, capabilities=SMALL)
    second = lease(service, "large", capabilities=LARGE)
    assert (second["job_id"], second["measured"]) == (job_id, ["sfc_a"])
    wide = body_of(make_report(2, base=0, head=1, scenario="wide"))
    service.upload(wide, 201, "large", job_id=job_id, fence=second["fence"])
    assert finish(service, "large", second) == {"state": "done"}
    assert len(service.get(f"/jobs/{job_id}")["run_ids"]) == 2


@pytest.mark.dialects
def test_a_job_that_no_host_can_do_says_so(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    register(service, "small")
    given = lease(service, "small", capabilities=SMALL)
    needs = {"lcores": 4, "pmu": True, "nics": 2, "hugepages_mb": 1024, "memory_mb": 1}
    finish(service, "small", given, not_here=[{"scenario": "wide", "needs": needs}])
    waiting = service.get(f"/jobs/{job_id}")["waiting"]
    assert waiting == (
        "no host of pool default has what it needs: small lacks 4 lcores (it has 2), 2 NICs (it has 0), "
        "1024 MiB in huge pages (it has 0), a PMU"
    )
    clock.pass_seconds(300)
    lease(service, "small", 204, capabilities=SMALL)
    assert service.get(f"/jobs/{job_id}")["attempts"] == 0
    assert lease(service, "small", capabilities={**LARGE, **needs})["job_id"] == job_id


def test_many_hosts_that_cannot_take_a_job_are_named_together(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    names = [f"bench-{number}" for number in range(1, 7)]
    for name in names:
        register(service, name)
    given = lease(service, names[0], capabilities=SMALL)
    finish(service, names[0], given, not_here=[{"scenario": "wide", "needs": {"pmu": True}}])
    for name in names:
        lease(service, name, 204, capabilities=SMALL)
    assert service.get(f"/jobs/{job_id}")["waiting"] == (
        "no host of pool default has what it needs: bench-1, bench-2, bench-3 and 3 more lack a PMU"
    )


def test_a_run_goes_to_a_host_that_reaches_its_generator(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    for name in ("near", "far", "older"):
        register(service, name)
    given = lease(service, "far", capabilities={**SMALL, "generators": []})
    needs = {"lcores": 1, "rates": True, "generators": ["lab"]}
    finish(service, "far", given, not_here=[{"scenario": "wide:rate", "needs": needs}])
    has = {**SMALL, "rates": True}
    clock.pass_seconds(300)
    lease(service, "far", 204, capabilities={**has, "generators": ["other"]})
    lease(service, "near", 204, capabilities={**has, "generators": []})
    lease(service, "older", 204, capabilities={**SMALL, "generators": []})
    assert service.get(f"/jobs/{job_id}")["waiting"] == (
        "no host of pool default has what it needs: far lacks generator lab (it reaches other); "
        "near lacks generator lab (it reaches none); "
        "older lacks an agent that measures rates and soaks, generator lab (it reaches none)"
    )
    assert lease(service, "near", capabilities={**has, "generators": ["lab", "lab2"]})["job_id"] == job_id


def test_an_agent_that_names_no_generators_takes_runs_of_any(service: Service, clock: Clock) -> None:
    job_id = push(service, 1)
    register(service, "far")
    register(service, "older")
    given = lease(service, "far", capabilities={**SMALL, "generators": []})
    needs = {"rates": True, "generators": ["lab"]}
    finish(service, "far", given, not_here=[{"scenario": "wide:rate", "needs": needs}])
    assert lease(service, "older", capabilities={**SMALL, "rates": True})["job_id"] == job_id


def test_a_result_kept_while_the_server_was_away_is_taken_if_nobody_has_the_job(
    service: Service, clock: Clock
) -> None:
    job_id = push(service, 1)
    register(service, "bench-7")
    register(service, "bench-8")
    kept = lease(service, "bench-7")
    clock.pass_seconds(3600)
    service.upload(body_of(make_report(1)), 201, "bench-7", job_id=job_id, fence=kept["fence"])
    assert finish(service, "bench-7", kept) == {"state": "done"}
    lost_id = push(service, 2)
    lost = lease(service, "bench-7")
    clock.pass_seconds(3600)
    assert lease(service, "bench-8")["job_id"] == lost_id
    late = service.upload(body_of(make_report(2)), 409, "bench-7", job_id=lost_id, fence=lost["fence"])
    assert late["error"]["name"] == "fenced_off"


def test_needs_survive_their_text() -> None:
    needs = Needs(lcores=4, pmu=True, memory_mb=512)
    assert needs.text() == "lcores=4 memory_mb=512 pmu=1"
    assert Needs.parse(needs.text()) == needs
    assert Needs.parse("") == Needs()
    assert missing(needs, None) == []
    of_all = {**dict.fromkeys(UNITS, 2**31 - 1), **dict.fromkeys(FLAGS, True), "generators": ["x" * 64]}
    longest = Needs.model_validate(of_all)
    assert Needs.parse(longest.text()) == longest
    assert len(longest.text()) <= JobRow.__table__.c["needs"].type.length
    assert missing(needs, Capabilities(lcores=4, memory_mb=512)) == ["a PMU"]
