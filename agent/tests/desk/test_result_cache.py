# SPDX-License-Identifier: Apache-2.0
"""A repeated `nalm check` shows the result that this host has decided; no other result is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from nalm_agent.desk.check import compared
from nalm_agent.desk.result_cache import ANSWERS, keep, recall, result_address
from nalm_agent.measure.request import Request
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_server_reports import make_report
from tiny import Nalm, NfRepository


@pytest.fixture
def own_home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def request_of(nf: NfRepository, scratch: Path, **requested: bool) -> Request:
    repository = Repository(nf.path, scratch)
    found = compared(repository, "HEAD", "worktree")
    return Request(repository, found.base, found.head, "tiny", branch=found.branch, **requested)


def test_only_decided_runs_are_kept(own_home: Home) -> None:
    for outcome in ("same", "improved", "regressed", "inconclusive", "invalid", "broken"):
        keep(own_home, outcome, make_report(1), outcome)
    assert {path.stem for path in (own_home.root / "store" / ANSWERS).iterdir()} == {
        "same",
        "improved",
        "regressed",
    }
    assert recall(own_home, "same") == make_report(1)
    assert recall(own_home, "broken") is None


def test_what_an_older_or_newer_nalm_wrote_is_no_answer(own_home: Home) -> None:
    own_home.store().put_document(ANSWERS, "key", {"schema": "nalm.run-report/99"})
    assert recall(own_home, "key") is None


def test_another_tree_or_question_is_another_address(nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.write("work.h", "// one\n")
    first = result_address(request_of(nf_repository, tmp_path / "a"))
    assert result_address(request_of(nf_repository, tmp_path / "b")) == first
    assert result_address(request_of(nf_repository, tmp_path / "c", profile=True)) != first
    nf_repository.write("work.h", "// two\n")
    assert result_address(request_of(nf_repository, tmp_path / "d")) != first


def test_other_libraries_of_the_loader_are_another_address(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = result_address(request_of(nf_repository, tmp_path / "a"))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert result_address(request_of(nf_repository, tmp_path / "b")) != first


def test_what_was_decided_is_shown_and_not_measured_again(
    nf_repository: NfRepository, own_home: Home, tmp_path: Path
) -> None:
    nf_repository.write("work.h", "#error not built\n")
    slower = make_report(1, head_costs={"nat": 180.0}, head_ipps={"nat": 400})
    keep(own_home, result_address(request_of(nf_repository, tmp_path / "a")), slower, "regressed")
    nalm = Nalm(own_home.root)
    done = nalm.run("check", cwd=nf_repository.path)
    assert done.returncode == 1, done.stderr
    assert "nat*" in done.stdout and "build:" not in done.stderr
    assert "unchanged since; --force measures again" in done.stderr
    forced = nalm.run("check", "--force", cwd=nf_repository.path)
    assert forced.returncode == 4 and "broken" in forced.stdout


def test_an_unchanged_tree_is_answered_without_loading_what_measures(
    nf_repository: NfRepository, nalm: Nalm
) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "nalm_agent", "check", "--base", "HEAD", "--quiet"]
    loaded = []
    for _ in range(2):
        done = subprocess.run(
            command,
            cwd=nf_repository.path,
            env=nalm.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert "nothing to measure" in done.stdout
        loaded.append({line.rpartition("|")[2].strip() for line in done.stderr.splitlines()})
    assert "nalm_agent.measure.measure" in loaded[0]
    assert not loaded[1] & {"nalm_agent.measure.measure", "numpy", "scipy", "capstone", "httpx"}
