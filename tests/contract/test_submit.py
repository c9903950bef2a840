# SPDX-License-Identifier: Apache-2.0
"""`nalm submit` and a real server: stored once, judged there, exit code by the server's verdict."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from contract_server import ContractServer
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import dump_report
from nalm_server_reports import make_report
from tiny import NALM, loaded_nalm

NALM_SECONDS = 120


def nalm(
    server: ContractServer, *arguments: str | Path, token: str | None = None
) -> subprocess.CompletedProcess[str]:
    given = {
        "NALM_SERVER": server.url,
        "NALM_TOKEN": token or server.project["upload_token"],
        "NO_COLOR": "1",
    }
    words = [NALM, *arguments]
    return loaded_nalm().run(words, cwd=Path.cwd(), environment=os.environ | given, timeout=NALM_SECONDS)


def saved(folder: Path, *reports: RunReport) -> list[Path]:
    paths = [folder / f"run-{report.run_id[-4:]}.json" for report in reports]
    for path, report in zip(paths, reports, strict=True):
        path.write_bytes(dump_report(report))
    return paths


def test_reports_are_taken_once_and_the_server_judges(server: ContractServer, tmp_path: Path) -> None:
    slower = make_report(1, project="tiny", head_costs={"nat": 180.0}, head_ipps={"nat": 400})
    saved(tmp_path, slower, make_report(2, project="tiny"))
    first = nalm(server, "submit", tmp_path / "*.json", "--json", "--junit", tmp_path / "nalm.xml")
    assert first.returncode == 1, first.stderr
    answers = json.loads(first.stdout)
    assert [(one["outcome"], one["new"]) for one in answers] == [("regressed", True), ("same", True)]
    assert answers[0]["link"] == f"{server.url}/p/tiny/runs/{slower.run_id}"
    assert answers[0]["link"] in (tmp_path / "nalm.xml").read_text()
    stored = server.http.get(f"/runs/{slower.run_id}").raise_for_status().json()
    assert stored["verdict"]["culprit_stages"] == ["nat"]
    again = nalm(server, "submit", tmp_path / "*.json", "--never-fail")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("already stored") == 2
    assert f"regressed  {stored['verdict']['summary']}" in again.stdout
    history = nalm(server, "history", slower.scenario.name, "--project", "tiny", "--stage", "nat")
    assert history.returncode == 0, history.stderr
    assert "regressed nat" in history.stdout


def test_the_history_of_a_branch(server: ContractServer, tmp_path: Path) -> None:
    report = make_report(8, project="tiny", functions={"nat": {"flow_find": 281}})
    (path,) = saved(tmp_path, report)
    assert nalm(server, "submit", path).returncode == 0
    base, head = (report.arms[arm].build.commit for arm in (Arm.BASE, Arm.HEAD))
    for job in server.push(base, head):
        server.cancel(job)
    requested = ["history", report.scenario.name, "--project", "tiny", "--branch"]
    found = nalm(server, *requested, "main")
    assert found.returncode == 0, found.stderr
    assert head[:7] in found.stdout and "same" in found.stdout
    function = nalm(server, *requested, "main", "--stage", "nat", "--function", "flow_find")
    assert function.returncode == 0, function.stderr
    assert "newest 281" in function.stdout
    unknown = nalm(server, *requested, "nowhere")
    assert unknown.returncode == 2 and "no watched branch 'nowhere'" in unknown.stderr


def test_a_wrong_token_is_reported(server: ContractServer, tmp_path: Path) -> None:
    (path,) = saved(tmp_path, make_report(3, project="other"))
    unknown = nalm(server, "submit", path, token="nalm_unknown")
    assert unknown.returncode == 2 and "NALM_TOKEN" in unknown.stderr
    elsewhere = nalm(server, "submit", path)
    assert elsewhere.returncode == 2 and "no such project" in elsewhere.stderr


def test_one_refused_report_does_not_keep_the_others(server: ContractServer, tmp_path: Path) -> None:
    dirty, good = saved(tmp_path, make_report(4, project="tiny", dirty=True), make_report(5, project="tiny"))
    done = nalm(server, "submit", dirty, good)
    assert done.returncode == 2
    assert "$.arms.head.build.dirty" in done.stderr
    assert server.http.get(f"/runs/{5:032x}").is_success


def test_a_run_with_another_content_is_refused(server: ContractServer, tmp_path: Path) -> None:
    (path,) = saved(tmp_path, make_report(6, project="tiny"))
    assert nalm(server, "submit", path).returncode == 0
    (path,) = saved(tmp_path, make_report(6, project="tiny").model_copy(update={"notes": ["edited"]}))
    done = nalm(server, "submit", path)
    assert done.returncode == 2 and "must not be edited" in done.stderr


def test_a_server_that_is_away(tmp_path: Path, server: ContractServer) -> None:
    (path,) = saved(tmp_path, make_report(7, project="tiny"))
    nowhere = ["--server", "http://127.0.0.1:9", "--timeout", "0"]
    assert nalm(server, "submit", path, *nowhere).returncode == 4
    tolerated = nalm(server, "submit", path, *nowhere, "--never-fail")
    assert tolerated.returncode == 0 and "cannot be reached" in tolerated.stderr
