# SPDX-License-Identifier: Apache-2.0
"""`nalm check` at fine margins: layouts, pools and plans as complete commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.desk.pools.fine import seconds_for
from nalm_agent.desk.pools.margin import margin_of_percent
from nalm_agent.runtime.errors import UsageError
from nalm_agent.store.home import Home
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge
from tiny import FEW_LAUNCHES, NALM_TOML, Nalm, NfRepository

BY_NINJA = """rule cc
  command = gcc -O2 -g -ffunction-sections -I/nalm/source -c $in -o $out
rule link
  command = gcc -o $out $in
build tiny.o: cc /nalm/source/tiny_nf.c
build tiny_nf: link tiny.o
"""


def commit_with_ninja(repository: NfRepository) -> None:
    repository.write("build.ninja.in", BY_NINJA)
    before, _, rest = NALM_TOML.partition("commands = ")
    commands = '[["cp", "{source}/build.ninja.in", "{build}/build.ninja"], ["ninja", "-C", "{build}"]]'
    text = before + "commands = " + commands + "\n" + rest.partition("\n")[2].replace("= 8", "= 5")
    repository.commit("ninja", nalm__toml=text.replace('"work.h"]', '"work.h", "build.ninja.in"]'))


def test_layouts_pool_and_plan(nf_repository: NfRepository, tmp_path: Path) -> None:
    nalm = Nalm(tmp_path / "home")
    commit_with_ninja(nf_repository)
    pair = ("HEAD", "HEAD", "--scenario", "tiny")
    unknown = nalm.run("check", *pair, "--margin", "0.2", "--plan", cwd=nf_repository.path)
    assert unknown.returncode == 3 and "nothing was measured" in unknown.stdout
    assert "run: nalm check HEAD HEAD --force --scenario tiny" in unknown.stdout
    empty = nalm.run("check", *pair, "--pool", cwd=nf_repository.path)
    assert empty.returncode == 3 and "has no run of this pair" in empty.stdout

    output = tmp_path / "run.json"
    measure = ("--force", "--layouts", "2", "--margin", "0.1", "--minutes", "3", "--json", str(output))
    for _ in range(2):
        done = nalm.run("check", *pair, *measure, cwd=nf_repository.path)
        assert done.returncode in (0, 1, 3), done.stderr
    report = parse_report(output.read_bytes())
    assert report.settings.margin == 0.001 and report.settings.budget_seconds == 180
    assert report.layouts is not None and report.layouts.relinked, report.layouts
    assert report.layouts.numbers[:5] == [1, 1, 2, 2, 1]

    pooled = nalm.run("check", *pair, "--margin", "0.1", "--pool", "--json", "-", cwd=nf_repository.path)
    found = json.loads(pooled.stdout)["tiny"]
    assert found["runs"] == 2 and found["hosts"] == 1 and found["margin"] == 0.001
    assert {one["level"] for one in found["shares"]} >= {"layout", "launch"}
    assert sum(one["of_error"] for one in found["shares"]) == pytest.approx(1)
    planned = nalm.run("check", *pair, "--margin", "5", "--plan", "--json", "-", cwd=nf_repository.path)
    (plan,) = json.loads(planned.stdout)
    assert plan["runs"] == 2 and plan["scenario"] == "tiny" and plan["margin"] == 0.05
    assert (plan["effort"] is not None) == plan["reachable"]
    text = nalm.run("check", *pair, "--margin", "5", "--plan", cwd=nf_repository.path)
    assert "tiny, margin 5 %: " in text.stdout


def test_the_stage_with_changed_code_is_judged_by_itself(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    commit_with_ninja(nf_repository)
    nf_repository.commit("more work in beta", work__h="#define BETA_WORK 31\n")
    output = tmp_path / "run.json"
    how = ("--margin", "0.1", "--layouts", "2", "--minutes", "3", "--json", str(output))
    done = nalm.run("check", "HEAD~1", "HEAD", "--scenario", "tiny", *how, cwd=nf_repository.path)
    assert done.returncode in (0, 1, 3), done.stderr
    report = parse_report(output.read_bytes())
    assert report.changed_functions == ["beta_process"]
    assert report.settings.changed_stages == ["beta", "rx", "tx"], "rx and tx are in the loop's function"
    code = judge(report).code
    assert code is not None and code.stages == report.settings.changed_stages
    assert code.changed.low <= 1.014 <= code.changed.high
    assert not code.decided, "two placements of code are too few"


@pytest.mark.parametrize(
    ("margin", "by_toml", "seconds"),
    [(0.01, 600.0, None), (0.009, 600.0, 600.0), (0.0001, 600.0, 1800.0), (0.0001, 3600.0, 3600.0)],
)
def test_a_finer_margin_takes_no_less_time_than_nalm_toml_gives(
    tmp_path: Path, margin: float, by_toml: float, seconds: float | None
) -> None:
    assert seconds_for(Home(tmp_path), "tiny", "tiny", margin, by_toml=by_toml) == seconds


def test_a_build_that_cannot_be_linked_again_says_so(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.commit("few launches", nalm__toml=FEW_LAUNCHES)
    output = tmp_path / "run.json"
    done = nalm.run(
        "check", "HEAD", "HEAD", "--force", "--layouts", "3", "--json", str(output), cwd=nf_repository.path
    )
    assert done.returncode in (0, 1, 3), done.stderr
    report = parse_report(output.read_bytes())
    assert report.layouts is not None and not report.layouts.relinked
    assert "no build.ninja" in (report.layouts.reason or "")
    assert len(set(report.layouts.numbers)) == len(report.layouts.numbers)
    disturbed = "usable pairs of turns" in done.stdout  # by other programs: there are no figures
    assert disturbed or "Stack and heap were placed in several ways" in done.stdout


@pytest.mark.parametrize("percent", [0.09, 0, -1, 100])
def test_margins_in_the_wrong_unit_are_refused(percent: float) -> None:
    with pytest.raises(UsageError, match=r"expected 0\.1 or more"):
        margin_of_percent(percent)
    assert margin_of_percent(0.1) == 0.001


def test_plan_and_pool_exclude_each_other(nf_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("check", "--plan", "--pool", cwd=nf_repository.path)
    assert done.returncode == 2 and "give one of them" in done.stderr
