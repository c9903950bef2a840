# SPDX-License-Identifier: Apache-2.0
"""Contract 5: the agent's own client and a real server: one agent for each job, lost leases, late results."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from contract_server import ContractServer
from nalm_agent.server_api import jobs as server_client
from nalm_agent.server_api.jobs import LeaseLostError, ServerClient, ServerOlderError
from nalm_core.wire.jobs import Lease

ORIGIN = 40 * "0"
LEASE_SECONDS = 5
"""As configured for the fixture's server."""


def sha(number: int) -> str:
    return f"{number:040x}"


def agent(server: ContractServer) -> ServerClient:
    return ServerClient(server.url, server.agent_token, print)


def ended(lease: Lease) -> dict[str, object]:
    return {"fence": lease.fence, "outcome": "failed", "message": "a test ended it"}


def drain(server: ContractServer, host: str) -> list[int]:
    """Takes jobs until there are none, and ends each as failed."""
    client, taken = agent(server), []
    while (lease := client.lease(host, "class", 0)) is not None:
        taken.append(lease.job_id)
        client.finish(lease.job_id, ended(lease))
    client.close()
    return taken


def lease(client: ServerClient, host: str, seconds: float = 0) -> Lease:
    got = client.lease(host, "class", seconds)
    assert got is not None
    return got


def test_two_racing_agents_get_each_job_once(server: ContractServer) -> None:
    jobs = [job for number in range(1, 21) for job in server.push(sha(number), sha(number + 1))]
    assert len(jobs) == 20
    with ThreadPoolExecutor(2) as pool:
        taken = [job for part in pool.map(lambda host: drain(server, host), ("a", "b")) for job in part]
    assert Counter(taken) == Counter(jobs)


def test_parents_come_before_children(server: ContractServer) -> None:
    server.push(sha(101), sha(102))
    server.push(sha(100), sha(101))
    client = agent(server)
    heads = []
    for _ in range(2):
        got = lease(client, "a")
        heads.append(got.head_sha)
        client.finish(got.job_id, ended(got))
    assert heads == [sha(101), sha(102)]


def test_a_lost_job_is_given_out_again_and_its_late_result_is_refused(server: ContractServer) -> None:
    server.push(sha(200), sha(201))
    silent, other = agent(server), agent(server)
    first = lease(silent, "silent")
    second = lease(other, "other", seconds=4 * LEASE_SECONDS)
    assert (second.job_id, second.fence > first.fence) == (first.job_id, True)
    with pytest.raises(LeaseLostError):
        silent.progress(first, "measuring", "", 0.5)
    with pytest.raises(LeaseLostError):
        silent.finish(first.job_id, {"fence": first.fence, "outcome": "done"})
    other.finish(second.job_id, ended(second))
    assert server.job(first.job_id)["state"] == "failed"


def test_a_renewed_lease_is_kept(server: ContractServer) -> None:
    server.push(sha(300), sha(301))
    holder, other = agent(server), agent(server)
    held = lease(holder, "holder")
    ends = time.monotonic() + 1.5 * LEASE_SECONDS
    while time.monotonic() < ends:
        holder.progress(held, "measuring", "still at it", 0.1)
        assert other.lease("other", "class", 0) is None
        time.sleep(0.08)
    holder.finish(held.job_id, ended(held))


def test_a_report_of_a_newer_agent_waits_for_the_servers_upgrade(server: ContractServer) -> None:
    server.push(sha(400), sha(401))
    newer = agent(server)
    held = lease(newer, "newer")
    with pytest.raises(ServerOlderError, match="upgrade the server first"):
        newer.upload(held.job_id, held.fence, gzip.compress(b'{"schema": "nalm.run-report/99"}'))
    newer.finish(held.job_id, ended(held))


def test_an_agent_the_server_does_not_know_yet_waits_for_its_upgrade(
    server: ContractServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, said, pauses = server_client.API, list[str](), list[float]()

    def upgraded_at_the_third_try(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            monkeypatch.setattr(server_client, "API", known)

    monkeypatch.setattr(server_client, "API", 99)
    early = ServerClient(server.url, server.agent_token, said.append, pause=upgraded_at_the_third_try)
    early.lease("early", "class", 0, {})
    assert pauses == [300.0, 300.0]
    (line,) = said
    assert line.startswith(f"{server.url}: This agent ")
    assert line.endswith("install the nalm-agent of its version; trying again every 5 minutes")


def test_an_agent_s_token_is_needed(server: ContractServer) -> None:
    answer = server.http.post("/agent/lease", json={"host": "x", "host_class": "y", "wait_seconds": 0})
    assert answer.status_code == 401
