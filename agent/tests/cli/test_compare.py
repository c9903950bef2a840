# SPDX-License-Identifier: Apache-2.0
"""`nalm compare`, and the split that `nalm show` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from nalm_agent.shell.app import app
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_server_features import FEATURES, WITH_DPI, with_features
from nalm_server_reports import COSTS, make_report
from typer.testing import CliRunner

DPI = ["nat", "dpi", "l3fwd"]


def saved(tmp_path: Path, name: str, *reports: RunReport) -> str:
    path = tmp_path / name
    path.write_text(json.dumps([json.loads(dump_report(one)) for one in reports]))
    return str(path)


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output if done.exception is None else str(done.exception)


def numbers(line: str) -> list[float]:
    return [float(one) for one in re.findall(r"[+-]?[0-9]+\.[0-9]+", line)]


def test_two_saved_runs_of_other_features_are_split(tmp_path: Path) -> None:
    slow = {**WITH_DPI, "nat": 180.0}
    old = saved(tmp_path, "old.json", make_report(1))
    new = saved(tmp_path, "new.json", with_features(9, base=(WITH_DPI, DPI), head=(slow, DPI)))
    code, said = run("compare", old, new)
    assert code == 0
    first, *others = said.splitlines()
    base, head, efficiency, features = (numbers(first)[index] for index in (0, 1, 2, -1))
    assert head - base == pytest.approx(efficiency + features)
    assert (efficiency, features) == (pytest.approx(30, abs=1), pytest.approx(400, abs=2))
    assert any(line.strip().startswith("dpi: features +") for line in others)
    code, said = run("compare", old, new, "--json")
    split = json.loads(said)
    assert split["features_cycles"] == pytest.approx(400, abs=2)


def test_incomparable_hosts_and_several_runs_are_refused(tmp_path: Path) -> None:
    one = saved(tmp_path, "one.json", make_report(1))
    other = saved(tmp_path, "other.json", make_report(2, host_class="metal"))
    two = saved(tmp_path, "two.json", make_report(1), make_report(2))
    assert "Measure both commits on one host" in run("compare", one, other)[1]
    assert "has 2 runs" in run("compare", one, two)[1]
    broken = saved(tmp_path, "broken.json", make_report(3, status="broken"))
    assert "has no cycles by stage" in run("compare", one, broken)[1]


def test_show_says_what_a_feature_merge_adds(tmp_path: Path) -> None:
    as_base = {**COSTS, "nat": 180.0}
    head = {**WITH_DPI, "nat": 180.0}
    merged = with_features(1, base=(COSTS, FEATURES), head=(head, DPI), head_as_base=as_base)
    code, said = run("show", saved(tmp_path, "merge.json", merged), "--never-fail")
    assert code == 0
    (line,) = [line for line in said.splitlines() if "efficiency +" in line]
    assert numbers(line)[2] == pytest.approx(30, abs=1)
    assert numbers(line)[-1] == pytest.approx(400, abs=2)
    plain = run("show", saved(tmp_path, "plain.json", make_report(2)), "--never-fail")[1]
    assert "efficiency" not in plain
