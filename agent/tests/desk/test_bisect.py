# SPDX-License-Identifier: Apache-2.0
"""`nalm bisect`: a search in a real repository, and its messages about single runs."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import pytest
from nalm_agent.desk.bisect import Search
from nalm_agent.desk.bisect_decision import Question, answer
from nalm_agent.measure.request import Request
from nalm_agent.report.progress import Silent
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import NalmError, UsageError
from nalm_agent.shell.app import app
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir
from nalm_core.findings.bisection import Finding, Undecided
from nalm_core.report.run_report import RunStatus
from nalm_core.verdict.verdict import judge
from nalm_synthetic import changed, make_report
from tiny import Nalm, NfRepository
from typer.testing import CliRunner

IPP, CPP = Question("sfc_a", "ipp"), Question("sfc_a", "cpp")


@pytest.mark.nightly
def test_the_commit_is_found_past_one_that_does_not_build(nalm: Nalm, nf_repository: NfRepository) -> None:
    good = nf_repository.git("rev-parse", "HEAD")
    nf_repository.commit("words", README__md="tinier\n")
    broken = nf_repository.commit("half an edit", work__h="#error half an edit\n")
    culprit = nf_repository.commit("twice the work", work__h="#define BETA_WORK 60\n")
    nf_repository.commit("more words", README__md="tiniest\n")
    arguments = ("bisect", good, "HEAD", "--metric", "ipp", "--stage", "beta", "--json")

    done = nalm.run(*arguments, cwd=nf_repository.path)
    found = json.loads(done.stdout)
    # The previous commit does not build, so the bisect cannot decide which of the two it is.
    assert (done.returncode, found["outcome"]) == (3, "range"), done.stderr
    findings = {one["sha"]: one["finding"] for one in found["asked"]}
    assert (findings[broken], findings[culprit]) == ("skip", "bad")
    assert found["high"] == culprit

    nf_repository.git("checkout", "-q", culprit)
    nf_repository.git("reset", "-q", "--soft", f"{broken}~1")
    alone = nf_repository.commit("twice the work")
    done = nalm.run(*arguments, cwd=nf_repository.path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["outcome"], found["place"]) == (0, "culprit", alone), done.stderr
    assert found["size"] == pytest.approx(1.0, abs=0.1)
    again = nalm.run(*arguments, cwd=nf_repository.path)
    assert json.loads(again.stdout) == found
    assert "already measured" in again.stderr


def test_a_search_is_continued_on_the_same_host_with_the_same_tools(
    nf_repository: NfRepository, home: Home, work: WorkDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    nf_repository.commit("words", README__md="tinier\n")
    repository = Repository(nf_repository.path, work.fresh("git"))
    commits = [repository.resolve(name) for name in ("HEAD~1", "HEAD")]

    def known() -> int:
        search = Search(repository, home, commits, CPP)
        search.recall()
        return len(search.results)

    slower = make_report(changed(nat=170.0))
    found = Result("", slower, judge(slower))
    monkeypatch.setattr("nalm_agent.desk.bisect.answered", lambda *_, **__: found)
    Search(repository, home, commits, CPP).run(work, Silent())
    assert known() == 1
    with monkeypatch.context() as upgraded:
        upgraded.setattr("nalm_agent.desk.result_cache.version", lambda: "another")
        assert known() == 0
    with monkeypatch.context() as upgraded:
        upgraded.setenv("LD_LIBRARY_PATH", "/opt/other")
        assert known() == 0
    assert known() == 1


@pytest.mark.parametrize(
    ("limit", "longer"), [(None, [1200.0, 2400.0, 4800.0]), ("1800", [1200.0, 1800.0, 1800.0])]
)
def test_an_undecided_candidate_is_measured_longer_than_by_nalm_toml(
    nf_repository: NfRepository,
    home: Home,
    work: WorkDir,
    monkeypatch: pytest.MonkeyPatch,
    *,
    limit: str | None,
    longer: list[float],
) -> None:
    """Twice as long each time, as this host allows it."""
    if limit is not None:
        monkeypatch.setenv("NALM_BUDGET_SECONDS", limit)
    nf_repository.commit("words", README__md="tinier\n")
    repository = Repository(nf_repository.path, work.fresh("git"))
    commits = [repository.resolve(name) for name in ("HEAD~1", "HEAD")]
    given: list[float | None] = []

    def undecided(request: Request, *_: object, **__: object) -> Result:
        given.append(request.budget_seconds)
        report = make_report(changed(), launches=1, turns=1)
        settings = report.settings.model_copy(update={"budget_seconds": request.budget_seconds or 600.0})
        report = report.model_copy(update={"settings": settings})
        return Result("tiny", report, judge(report))

    monkeypatch.setattr("nalm_agent.desk.bisect.answered", undecided)
    search = Search(repository, home, commits, Question("tiny"))
    assert search.run(work, Silent()) == Undecided()
    assert given == [None, *longer]
    assert search.results[1].measurements == len(given)


@pytest.mark.parametrize(("ipp", "finding"), [(1.0, Finding.GOOD), (1.04, Finding.GOOD), (1.08, Finding.BAD)])
def test_instructions_are_like_bads_from_half_its_change_on(ipp: float, finding: Finding) -> None:
    report = make_report(changed(), launches=4, turns=3)
    base, head = report.instructions
    more = head.model_copy(
        update={
            "stages": {name: round(value * ipp) for name, value in base.stages.items()},
            "unattributed": round(base.unattributed * ipp),
        }
    )
    run = report.model_copy(update={"instructions": [base, more]})
    assert answer(run, judge(run), IPP, log(1.1)).finding is finding
    assert answer(run, judge(run), IPP, log(0.9)).finding is Finding.GOOD
    assert answer(run, judge(run), IPP, None).finding is (Finding.BAD if ipp > 1 else Finding.GOOD)


def test_cycles_count_where_they_are_significant_and_go_bads_way() -> None:
    slower = make_report(changed(nat=170.0))
    cpp, nat, tx = (Question("sfc_a", "cpp", stage) for stage in (None, "nat", "tx"))
    assert answer(slower, judge(slower), cpp, None).finding is Finding.BAD
    assert answer(slower, judge(slower), nat, 0.1).finding is Finding.BAD
    assert answer(slower, judge(slower), nat, -0.1).finding is Finding.GOOD
    assert answer(slower, judge(slower), tx, None).finding is Finding.GOOD
    with pytest.raises(UsageError, match="no stage nosuch"):
        answer(slower, judge(slower), Question("sfc_a", "cpp", "nosuch"), None)
    short = make_report(changed(), launches=1, turns=1)
    assert answer(short, judge(short), cpp, None).finding is None


def test_goods_fault_ends_the_search_and_a_candidates_is_passed_over() -> None:
    report = make_report(changed(), launches=2, turns=2)
    failed, broken = (
        report.model_copy(update={"status": status, "failure": "head: it crashed", "rounds": []})
        for status in (RunStatus.FAILED, RunStatus.BROKEN)
    )
    with pytest.raises(NalmError, match="good could not be measured"):
        answer(failed, judge(failed), IPP, None)
    assert answer(broken, judge(broken), IPP, None).finding is Finding.SKIP
    assert answer(broken, None, IPP, None).finding is Finding.GOOD


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["HEAD", "HEAD"], "good and bad are both"),
        (["HEAD", "HEAD~1"], "first-parent line"),
        (["nosuch", "HEAD"], "no commit named"),
        (["HEAD~1", "HEAD", "--scenario", "nosuch"], "nosuch"),
    ],
)
def test_what_cannot_be_searched_is_said(
    nf_repository: NfRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    nf_repository.commit("words", README__md="tinier\n")
    monkeypatch.setenv("NALM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(nf_repository.path)
    error = CliRunner().invoke(app, ["bisect", *arguments]).exception
    assert isinstance(error, UsageError)
    assert said in error.message
    assert error.hint
