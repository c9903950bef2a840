# SPDX-License-Identifier: Apache-2.0
"""Cells that were measured are in the files, whatever ends the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiment_cells import reports
from nalm_agent.measure import experiment
from nalm_agent.report.cell_files import keep_cells
from nalm_agent.runtime.errors import HostError, StoppedError
from nalm_agent.shell.app import app
from nalm_core.experiments.fit import fit
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import parse_report
from tiny import NfRepository
from typer.testing import CliRunner

MEASURED = reports()


def stopped(*_: object) -> Iterator[RunReport]:
    yield from MEASURED[:3]
    raise StoppedError


def test_a_stopped_experiment_leaves_what_it_measured(tmp_path: Path) -> None:
    whole, result = tmp_path / "reports.json", tmp_path / "result.json"
    with pytest.raises(StoppedError):
        keep_cells(stopped(), str(whole), str(result))
    kept = [parse_report(json.dumps(one)) for one in json.loads(whole.read_text())]
    assert kept == MEASURED[:3]
    of_them = fit(kept)
    assert of_them is not None and of_them.partial
    assert result.read_text() == of_them.model_dump_json(indent=1) + "\n"


def test_files_grow_with_each_cell(tmp_path: Path) -> None:
    whole = tmp_path / "reports.json"

    def counted() -> Iterator[RunReport]:
        for number, report in enumerate(MEASURED):
            assert number == 0 or len(json.loads(whole.read_text())) == number
            yield report

    assert keep_cells(counted(), str(whole), None) == fit(MEASURED)
    assert len(json.loads(whole.read_text())) == len(MEASURED)


def test_standard_output_has_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    result = keep_cells(iter(MEASURED[:2]), "-", "-")
    assert len(json.loads(capsys.readouterr().out)) == 2 and result == fit(MEASURED[:2])
    assert keep_cells(iter([]), "-", None) is None
    assert json.loads(capsys.readouterr().out) == []


def test_the_command_keeps_cells_when_the_host_fails(
    nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Iterator[RunReport]:
        yield from MEASURED[:2]
        raise HostError("no space is left")

    monkeypatch.setenv("NALM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(experiment, "measure_cells", failing)
    monkeypatch.chdir(nf_repository.path)
    whole, result = tmp_path / "reports.json", tmp_path / "result.json"
    options = ["experiment", "features", "--reports", str(whole), "--json", str(result)]
    done = CliRunner().invoke(app, options)
    assert isinstance(done.exception, HostError)
    assert len(json.loads(whole.read_text())) == 2
    assert json.loads(result.read_text())["partial"] is True
