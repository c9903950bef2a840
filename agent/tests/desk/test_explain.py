# SPDX-License-Identifier: Apache-2.0
"""`nalm compare` of two commits, and `nalm explain`: a real NF, git, gcc and valgrind."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from nalm_agent.runtime.errors import ExitCode, NalmError, UsageError
from nalm_agent.shell.app import app
from nalm_core.report.run_report import Arm
from nalm_core.report.serialization import dump_report, parse_report
from nalm_server_reports import make_report
from tiny import NF_SOURCE, Nalm, NfRepository
from typer.testing import CliRunner

EDITED = "value = value * 1664525u + 1013904223u;"
EXTRA = "value ^= value >> 13;"


@pytest.fixture
def edited(nf_repository: NfRepository) -> NfRepository:
    """A second commit that adds a line to a function of two stages."""
    source = NF_SOURCE.read_text().replace(EDITED, f"{EDITED}\n\t\t{EXTRA}")
    nf_repository.commit("mix more", tiny_nf__c=source)
    return nf_repository


@pytest.mark.nightly
def test_two_commits_are_compared_then_explained_line_by_line(
    nalm: Nalm, edited: NfRepository, tmp_path: Path
) -> None:
    compared = nalm.run("compare", "HEAD~1", "HEAD", "--json", "--never-fail", cwd=edited.path)
    assert compared.returncode == 0, compared.stderr
    (pair,) = json.loads(compared.stdout)
    assert pair["scenario"] == "tiny"

    picture = tmp_path / "flame.svg"
    done = nalm.run("explain", "--svg", str(picture), cwd=edited.path)
    assert done.returncode == 0, done.stderr
    assert "alpha_process > churn" in done.stdout
    (added,) = [line for line in done.stdout.splitlines() if EXTRA in line]
    assert added.startswith("+ ")
    assert " . " in added  # base had no such line
    titles = [one.text or "" for one in ET.parse(picture).iter() if one.tag.endswith("title")]
    assert any(title.startswith("churn (tiny_nf.c:") for title in titles)
    assert not any("gen_process" in title for title in titles)

    document = json.loads(nalm.run("explain", "--json", cwd=edited.path).stdout)
    flame, files = document["flame"], document["files"]
    assert files[0]["name"] == "tiny_nf.c"
    named = sum(file["head"] for file in files)
    assert 0.99 * flame["head"] <= named <= flame["head"]
    stored = max((nalm.home / "store" / "last").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    ((run,),) = [json.loads(stored.read_text())["runs"].values()]
    report = parse_report(json.dumps(run))
    for count in report.instructions:
        assert sum(node.own for node in count.calls) == sum(count.stages.values()) + count.unattributed
    assert report.source_text is not None
    written = {arm: report.source_text.of(arm)["tiny_nf.c"].values() for arm in (Arm.BASE, Arm.HEAD)}
    assert [any(EXTRA in line for line in lines) for lines in written.values()] == [False, True]
    assert {one.file for one in report.source_text.files} <= {"tiny_nf.c", "nalm_probe.h", "work.h"}

    saved = tmp_path / "run.json"
    saved.write_text(json.dumps(run))
    whole = nalm.run("explain", str(saved), "--file", "tiny_nf.c", cwd=edited.path)
    assert len(whole.stdout.splitlines()) > len(NF_SOURCE.read_text().splitlines())
    held = nalm.run("explain", str(saved), cwd=tmp_path)
    assert held.returncode == 0, held.stderr
    (kept,) = [line for line in held.stdout.splitlines() if EXTRA in line]
    assert kept.split() == added.split()  # what the report holds is enough
    wrong = nalm.run("explain", "--file", "nowhere.c", cwd=edited.path)
    assert (wrong.returncode, "tiny_nf.c" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain"], "has no run of"),
        (["explain", "a", "b", "c"], "at most two commits"),
        (["explain", "nosuch"], "no commit named 'nosuch'"),
        (["explain", "nosuch.json"], "cannot be read"),
        (["explain", "--width", "both"], "not a side"),
        (["explain", "--json", "--svg", "-"], "standard output"),
        (["compare", "HEAD", "run.json"], "is a saved run, the other a commit"),
        (["compare", "HEAD", "nosuch"], "no commit named 'nosuch'"),
    ],
)
def test_what_cannot_be_is_said(
    nf_repository: NfRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.setenv("NALM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(nf_repository.path)
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, UsageError)
    assert said in error.message
    assert error.hint


def test_a_run_that_was_not_measured_says_why(nf_repository: NfRepository, tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    saved.write_bytes(dump_report(make_report(1, status="broken")))
    error = CliRunner().invoke(app, ["explain", str(saved), "--repo", str(nf_repository.path)]).exception
    assert isinstance(error, NalmError)
    assert error.exit_code is ExitCode.NOT_MEASURED
    assert "nothing was measured" in error.message


def test_an_unchanged_run_is_written(nalm: Nalm, nf_repository: NfRepository, tmp_path: Path) -> None:
    nf_repository.commit("documents", README__md="more\n")
    written = [tmp_path / "explained.json", tmp_path / "flame.svg"]
    pair = ("explain", "HEAD~1", "HEAD")
    done = nalm.run(*pair, "--json", str(written[0]), "--svg", str(written[1]), cwd=nf_repository.path)
    assert done.returncode == 0 and "same" in done.stdout, done.stderr
    document = json.loads(written[0].read_text())
    assert (document["files"], document["flame"]["head"], document["unit"]) == (
        [],
        0,
        "instructions a packet",
    )
    assert ET.parse(written[1]).getroot().tag.endswith("svg")
    alone = nalm.run(*pair, "--json", cwd=nf_repository.path)
    assert json.loads(alone.stdout) == document
