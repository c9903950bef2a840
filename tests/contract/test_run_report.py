# SPDX-License-Identifier: Apache-2.0
"""Contract 3: core reads what `nalm` writes, the server stores it once, and both give the same verdict."""

from __future__ import annotations

import json
import shutil
from typing import Any

import httpx
import pytest
from contract_server import ContractServer
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, changed, make_report
from tiny import FEW_LAUNCHES, NF_SOURCE, PROBE_HEADER, Nalm, NfRepository

SLOWER = "#define ALPHA_WORK 60\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real run of the tiny NF against a build that does more work."""
    folder = tmp_path_factory.mktemp("run")
    repository = NfRepository(folder / "nf")
    repository.path.mkdir()
    repository.git("init", "-q", "-b", "main")
    shutil.copy(NF_SOURCE, repository.path)
    shutil.copy(PROBE_HEADER, repository.path)
    repository.write("traffic/capture.bin", "packets")
    repository.commit("first", nalm__toml=FEW_LAUNCHES, work__h="")
    repository.commit("second", work__h=SLOWER)
    to = folder / "report.json"
    nalm = Nalm(folder / "home")
    done = nalm.run("check", "--base", "HEAD~1", "--head", "HEAD", "--json", str(to), cwd=repository.path)
    assert done.returncode in (0, 1, 3), done.stderr
    return to.read_bytes()


def upload(server: ContractServer, body: bytes) -> httpx.Response:
    headers = {"Authorization": f"Bearer {server.project['upload_token']}"}
    return server.http.post("/reports", content=body, headers=headers)


def test_the_command_writes_what_core_reads(report: bytes) -> None:
    parsed = parse_report(report)
    assert parsed.rounds
    assert all(one.lcores for one in parsed.rounds)
    assert {count.arm for count in parsed.instructions} == set(parsed.arms)
    assert parsed.checks
    assert parsed.valid, [check.message for check in parsed.checks if not check.passed]


def test_the_server_takes_it_once_and_keeps_it_whole(server: ContractServer, report: bytes) -> None:
    first, second = upload(server, report), upload(server, report)
    assert (first.status_code, second.status_code) == (201, 200), first.text
    assert first.json()["run_id"] == second.json()["run_id"]
    stored = server.http.get(f"/runs/{first.json()['run_id']}/report").raise_for_status()
    assert json.loads(stored.content) == json.loads(report)


def test_both_judge_a_measured_run_alike(server: ContractServer, report: bytes) -> None:
    """Whatever it is: where other programs took the CPUs, no launch may be usable."""
    said = said_by_both(server, report)
    assert said["outcome"] and said["reason"]


def test_both_judge_a_slower_stage_alike(server: ContractServer) -> None:
    own = {"project": server.project["name"], "run_id": "5" * 32}  # the modules share the server
    made = make_report(changed(nat=COSTS["nat"] * 1.3)).model_copy(update=own)
    said = said_by_both(server, dump_report(made))
    assert said["outcome"] == "regressed"
    assert "nat" in {stage["stage"] for stage in said["stages"]}


def said_by_both(server: ContractServer, body: bytes) -> dict[str, Any]:
    """The verdict by core, which is the server's too."""
    assert upload(server, body).status_code in {200, 201}
    said = judge(parse_report(body)).model_dump(mode="json")
    run = server.http.get(f"/runs/{parse_report(body).run_id}").raise_for_status().json()
    assert {name: run["verdict"][name] for name in said} == said
    return said


def test_another_content_under_the_same_run_is_refused(server: ContractServer, report: bytes) -> None:
    upload(server, report)
    other: dict[str, Any] = json.loads(report)
    other["notes"].append("changed on the way")
    assert upload(server, json.dumps(other).encode()).status_code == 409


def test_a_broken_report_is_refused_with_its_path(server: ContractServer, report: bytes) -> None:
    broken: dict[str, Any] = json.loads(report)
    broken["rounds"][0]["lcores"][0]["packets"] = -1
    with pytest.raises(ReportError, match="rounds"):
        parse_report(json.dumps(broken))
    refused = upload(server, json.dumps(broken).encode())
    assert refused.status_code == 422
    assert "rounds" in refused.text


def test_a_later_version_is_refused_by_name(report: bytes) -> None:
    later: dict[str, Any] = json.loads(report) | {"schema": "nalm.run-report/99"}
    with pytest.raises(ReportError, match="99"):
        parse_report(json.dumps(later))
