# SPDX-License-Identifier: Apache-2.0
"""`nalm show` and what it writes, from saved reports of known verdicts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from full_disk import full_disk
from nalm_agent.report.output_file import write_file
from nalm_agent.report.outputs import Outputs
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.serialization import dump_report
from nalm_server_reports import make_report
from tiny import NALM
from typer.testing import CliRunner, Result

SLOWER = {"head_costs": {"nat": 180.0}, "head_ipps": {"nat": 400}}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A regression, and a list of a commit that changes nothing and one that could not be measured."""
    (tmp_path / "slower.json").write_bytes(dump_report(make_report(1, **SLOWER)))
    both = [make_report(2, scenario="sfc_b"), make_report(3, status="failed")]
    (tmp_path / "both.json").write_text(json.dumps([json.loads(dump_report(one)) for one in both]))
    return tmp_path


def show(*arguments: str | Path, code: int, stdin: bytes | None = None) -> Result:
    done = CliRunner().invoke(app, ["show", *map(str, arguments)], input=stdin)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def test_show_prints_every_verdict_and_leaves_with_the_worst(saved: Path) -> None:
    out = show(saved / "slower.json", saved / "both.json", code=1).stdout
    assert [word in out for word in ("regressed", "same", "not measured")] == [True] * 3
    assert "nat*" in out


def test_a_gating_metric_that_only_base_has_is_no_success(saved: Path) -> None:
    metric = {"name": "table_bytes", "unit": "bytes", "better": "lower", "every": "build", "exact": True}
    metric |= {"source": "command", "margin": 0.05, "gates": True, "values": {"base": [1000.0]}}
    own = OwnMetric.model_validate(metric | {"missing": {"head": "it printed 'no'"}})
    report = make_report(4).model_copy(update={"own_metrics": [own]})
    (saved / "lost.json").write_bytes(dump_report(report))
    out = show(saved / "lost.json", "--github", code=3).stdout
    assert "::warning " in out and "table_bytes: missing; head: it printed 'no'" in out
    assert "same" in out


@pytest.mark.parametrize(
    ("width", "shown", "hidden"),
    [(60, "verdict", "interval"), (90, "interval", "eIPC"), (110, "eIPC", "IPP base"), (140, "IPP base", "")],
)
def test_the_table_has_the_columns_there_is_room_for(
    saved: Path, monkeypatch: pytest.MonkeyPatch, *, width: int, shown: str, hidden: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = show(saved / "slower.json", code=1).stdout
    table = [line for line in out.splitlines() if line.startswith(("stage", "rx", "nat*", "chain"))]
    assert len(table) == 4 and all(len(line) <= width for line in table)
    assert shown in table[0] and (not hidden or hidden not in table[0])
    assert table[2].rstrip().endswith("regressed: instructions") and "\x1b" not in out


def test_files_are_written_whose_text_nobody_reads(saved: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [NALM, "show", saved / "slower.json", "--junit", saved / "junit"]
    done = subprocess.run(command, stdout=writing, check=False)
    os.close(writing)
    assert done.returncode == 141 and "<failure" in (saved / "junit").read_text()


def test_patterns_and_doubles_are_taken_once(saved: Path) -> None:
    out = show(saved / "*.json", saved / "slower.json", "--markdown", "-", "--never-fail", code=0).stdout
    assert out.startswith("### nalm: regressed") and out.count("\n- ") >= 3


def test_all_forms_at_once(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(saved / "summary.md"))
    (saved / "summary.md").write_text("before\n")
    names = {form: saved / f"out.{form}" for form in ("junit", "sarif", "markdown")}
    options = [text for form, path in names.items() for text in (f"--{form}", path)]
    out = show(saved / "slower.json", saved / "both.json", *options, "--github", code=1).stdout
    assert "::error title=nalm%3A sfc_a regressed::" in out
    assert ET.parse(names["junit"]).getroot().get("failures") == "2"
    assert [len(run["results"]) for run in json.loads(names["sarif"].read_text())["runs"]] == [1, 0, 0]
    assert (saved / "summary.md").read_text() == "before\n" + names["markdown"].read_text()
    assert sorted(path.name for path in saved.glob(".*")) == []


def test_report_from_standard_input(saved: Path) -> None:
    show("-", code=1, stdin=(saved / "slower.json").read_bytes())


def test_an_unchanged_run_is_rendered_too(saved: Path) -> None:
    report = make_report(4, status="unchanged")
    (saved / "unchanged.json").write_bytes(dump_report(report))
    assert "nalm: same" in show(saved / "unchanged.json", "--markdown", "-", code=0).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "$.schema"),
        ("[1]", "bad.json[0]"),
        ("[", "not JSON"),
        ("", "not JSON"),
        ("[]", "no run report"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    done = CliRunner().invoke(app, ["show", str(tmp_path / "bad.json")])
    assert isinstance(done.exception, UsageError)
    assert said in done.exception.full_text()


@pytest.mark.parametrize("name", ["absent.json", "absent-*.json"])
def test_files_that_are_not_there(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(app, ["show", str(tmp_path / name)])
    assert isinstance(done.exception, UsageError)


def test_a_file_that_cannot_be_written(saved: Path) -> None:
    done = CliRunner().invoke(
        app, ["show", str(saved / "slower.json"), "--junit", str(saved / "no" / "x.xml")]
    )
    assert isinstance(done.exception, UsageError) and "--junit" in str(done.exception.hint)


def test_a_directory_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is a directory"):
        Outputs(json=str(tmp_path))


def test_one_place_takes_one_output() -> None:
    with pytest.raises(UsageError, match="standard output"):
        Outputs(json="-", markdown="-")
    with pytest.raises(UsageError, match=r"x\.txt"):
        Outputs(junit="x.txt", sarif="x.txt")


def test_a_file_is_replaced_and_a_device_kept(tmp_path: Path) -> None:
    file, device = tmp_path / "run.json", tmp_path / "null"
    file.write_text("before")
    device.symlink_to("/dev/null")
    for path in (file, device):
        write_file(str(path), "after", "--json")
    assert file.read_text() == "after" and device.is_char_device()
    with full_disk(), pytest.raises(UsageError, match="cannot be written"):
        write_file(str(file), "more", "--json")
    assert file.read_text() == "after" and set(tmp_path.iterdir()) == {file, device}
