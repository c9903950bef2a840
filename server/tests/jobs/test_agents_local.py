# SPDX-License-Identifier: Apache-2.0
"""Agents from the server's own configuration, registered at its first start; and shared tokens."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

from nalm_server.app.embedded.first_tokens import make_first_tokens
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from pydantic import SecretStr

SHARED = "nalm_" + 32 * "s"


def first_start(service: Service, state: Path, *, with_agent: bool, **settings: Any) -> str | None:
    """Makes a server's first tokens. Returns the host of agent.token, whose token is `local` from now on."""
    changed = service.context.settings.model_copy(update={"state_dir": state, **settings})
    first = make_first_tokens(replace(service.context, settings=changed), with_agent=with_agent)
    service.tokens["local"] = first.agent_file.read_text()
    return first.agent_name


def lease(service: Service, token: str, host: str, status: int = 204, **more: Any) -> Any:
    return service.post("/agent/lease", token, status, {"host": host, "host_class": "vm-2", **more})


def hosts(service: Service) -> dict[str, tuple[str, bool, str]]:
    """Returns (pool, registered, state) by name."""
    listed = service.request("GET", "/hosts", "admin")
    return {one["name"]: (one["pool"], one["registered"], one["state"]) for one in listed}


def push(service: Service, number: int) -> int:
    body = {"ref": "refs/heads/main", "before": sha(number - 1), "after": sha(number)}
    return int(service.hook(json.dumps(body).encode(), 202)["job_ids"][0])


def test_the_servers_own_agent_is_registered_at_the_first_start(service: Service, tmp_path: Path) -> None:
    here = socket.gethostname()
    assert first_start(service, tmp_path, with_agent=True) == here
    assert hosts(service) == {here: ("default", True, "offline")}
    lease(service, "local", "another", 403)
    lease(service, "agent", here, 403)
    lease(service, "local", here)
    service.request("POST", f"/hosts/{here}/revoke", "admin")
    assert first_start(service, tmp_path, with_agent=True) == here
    lease(service, "local", here, 401)


def test_its_name_stays_when_the_hosts_own_changes(service: Service, tmp_path: Path) -> None:
    assert first_start(service, tmp_path, with_agent=True, agent_name="bench-7") == "bench-7"
    assert first_start(service, tmp_path, with_agent=True) == "bench-7"
    lease(service, "local", "bench-7")


def test_a_new_token_file_takes_the_place_of_the_old_credential(service: Service, tmp_path: Path) -> None:
    first_start(service, tmp_path, with_agent=True, agent_name="bench-7")
    service.tokens["old"] = service.tokens["local"]
    (tmp_path / "agent.token").unlink()
    first_start(service, tmp_path, with_agent=True, agent_name="bench-7")
    lease(service, "old", "bench-7", 401)
    lease(service, "local", "bench-7")


def test_a_shared_token_of_an_earlier_state_directory_goes_on(service: Service, tmp_path: Path) -> None:
    """--no-agent makes the same token as servers from before registered agents."""
    assert first_start(service, tmp_path, with_agent=False) is None
    assert first_start(service, tmp_path, with_agent=True) is None
    for host in ("bench-1", "bench-2", socket.gethostname()):
        lease(service, "local", host)
    assert {registered for _, registered, _ in hosts(service).values()} == {False}


def test_a_token_of_the_environment_is_of_the_host_that_is_named(service: Service, tmp_path: Path) -> None:
    service.tokens["given"] = SHARED
    given = {"agent_token": SecretStr(SHARED), "agent_name": "local"}
    first_start(service, tmp_path, with_agent=False, **given)
    assert hosts(service) == {"local": ("default", True, "offline")}
    lease(service, "given", "bench-1", 403)
    lease(service, "given", "local")


def test_a_token_of_the_environment_without_a_name_is_shared(service: Service, tmp_path: Path) -> None:
    service.tokens["given"] = SHARED
    first_start(service, tmp_path, with_agent=False, agent_token=SecretStr(SHARED))
    lease(service, "given", "bench-1")
    named = {"agent_token": SecretStr(SHARED), "agent_name": "local"}
    first_start(service, tmp_path, with_agent=False, **named)
    lease(service, "given", "bench-1")  # those that share it go on after an update


def test_a_shared_token_does_nothing_to_a_registered_hosts_job(service: Service, tmp_path: Path) -> None:
    job_id = push(service, 1)
    first_start(service, tmp_path, with_agent=True, agent_name="bench-7")
    fence = lease(service, "local", "bench-7", 200)["fence"]
    for path, reported in (
        ("progress", {"step": "building"}),
        ("finish", {"outcome": "failed"}),
        ("release", {"reason": "mine now"}),
    ):
        error = service.post(f"/agent/jobs/{job_id}/{path}", "agent", 409, {"fence": fence, **reported})[
            "error"
        ]
        assert "belongs to host bench-7, for which a shared token is not valid" in error["message"]
    report = body_of(make_report(1))
    service.upload(report, 409, "agent", job_id=job_id, fence=fence)
    service.upload(report, 201, "local", job_id=job_id, fence=fence)


def test_what_a_registered_host_is_only_its_own_agent_says(service: Service, tmp_path: Path) -> None:
    """A report from agent bench-7 names its host bench-1. A report from CI names its host bench-7."""
    job_id = push(service, 1)
    first_start(service, tmp_path, with_agent=True, agent_name="bench-7")
    fence = lease(service, "local", "bench-7", 200)["fence"]
    service.upload(body_of(make_report(1)), 201, "local", job_id=job_id, fence=fence)
    report = make_report(2)
    other = report.host.model_copy(update={"name": "bench-7", "kernel": "0.0"})
    service.upload(body_of(report.model_copy(update={"host": other})))
    (only,) = service.request("GET", "/hosts/bench-7", "admin")["fingerprints"]
    assert only["fingerprint"] == report.host.model_dump(mode="json")
    assert list(hosts(service)) == ["bench-7"]
