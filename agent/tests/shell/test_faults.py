# SPDX-License-Identifier: Apache-2.0
"""How `nalm` ends on a fault of its own."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path

import pytest
import typer
from nalm_agent.desk import conclude
from nalm_agent.report.console import Terminal
from nalm_agent.report.outputs import Outputs
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import STANDARD_OUTPUT, HostError, refused_by_host
from nalm_agent.shell.app import app, run_app
from nalm_agent.shell.exit_codes import FAULT, UNREAD
from nalm_agent.shell.options import tolerating
from nalm_core.report.serialization import dump_report
from nalm_core.verdict.verdict import judge
from nalm_server_reports import make_report
from tiny import NALM
from typer.testing import CliRunner


def test_a_fault_of_nalm_is_no_regression(capsys: pytest.CaptureFixture[str]) -> None:
    """A hook stops a push on exit code 1: not for this."""
    broken = typer.Typer(pretty_exceptions_enable=False)

    @broken.command()
    def fails() -> None:
        raise ZeroDivisionError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr("sys.argv", ["nalm"])
        run_app(broken)
    assert ended.value.code == FAULT
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said and "please report it" in said


def test_a_full_disk_is_reported_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    full = typer.Typer(pretty_exceptions_enable=False)

    @full.command()
    def fills() -> None:
        Path("/dev/full").write_text("x")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr("sys.argv", ["nalm"])
        run_app(full)
    assert ended.value.code == FAULT
    said = capsys.readouterr().err
    assert "No space left on device" in said and "nalm store --prune" in said and "Traceback" not in said


def test_a_full_disk_does_not_fail_a_command_that_must_not(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, tolerating(True):
        Path("/dev/full").write_text("x")
    assert ended.value.exit_code == 0 and "No space left on device" in capsys.readouterr().err
    with pytest.raises(OSError, match="No space left"), tolerating(False):
        Path("/dev/full").write_text("x")


def test_what_is_refused_without_a_file_is_a_fault_with_its_traceback() -> None:
    assert refused_by_host(PermissionError(errno.EPERM, "Operation not permitted")) is None
    denied = refused_by_host(PermissionError(errno.EACCES, "Permission denied", "/etc/shadow"))
    assert denied is not None and denied.message == "/etc/shadow: Permission denied"


def test_a_home_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NALM_HOME", str(tmp_path / "file"))
    error = CliRunner().invoke(app, ["store"]).exception
    assert isinstance(error, HostError)
    assert error.hint == "set NALM_HOME to a directory of yours"


def test_a_reader_that_goes_away_is_no_regression() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([NALM, "--version"], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.returncode == UNREAD


@pytest.mark.parametrize("command", [["--version"], ["show", "--help"], ["show", "{run}", "--junit", "-"]])
def test_standard_output_without_space_is_a_fault_of_the_host(command: list[str], tmp_path: Path) -> None:
    """It is no fault of nalm's own store, and no verdict. 40 KB do not fit the output's buffer."""
    run = tmp_path / "run.json"
    reports = [make_report(number, head_costs={"nat": 180.0}) for number in range(1, 40)]
    run.write_text(json.dumps([json.loads(dump_report(one)) for one in reports]))
    with Path("/dev/full").open("w") as full:
        words = [one.format(run=run) for one in command]
        done = subprocess.run([NALM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == FAULT
    assert done.stderr.strip() == "nalm: standard output cannot be written: No space left on device"


@pytest.mark.parametrize(("elsewhere", "code"), [(False, FAULT), (True, 1)])
def test_a_verdict_that_cannot_be_printed(
    elsewhere: bool, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The run is kept, and whoever wants its results in a file as well has them."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), STANDARD_OUTPUT)

    monkeypatch.setattr(conclude, "print_run", refuse)
    monkeypatch.setattr(conclude, "discard_output", lambda: None)
    report = make_report(1, head_costs={"nat": 180.0})
    result = Result("sfc_a", report, judge(report))
    monkeypatch.setattr("sys.argv", ["nalm"])
    command = typer.Typer(pretty_exceptions_enable=False)

    @command.command()
    def check() -> None:
        with Terminal() as progress:
            failures = conclude.Failures(progress)
            with failures.kept("1234567"):
                results = conclude.shown([result], progress, failures, quiet=False, unread_too=elsewhere)
        conclude.finish(results, Outputs(), None, failures, as_list=False, never_fail=False)

    with pytest.raises(SystemExit) as ended:
        run_app(command)
    assert ended.value.code == code
    said = " ".join(capfd.readouterr().err.split())
    assert said.count("standard output cannot be written: No space left on device") == 1
    assert "`nalm check` of the same two commits shows them without measuring again" in said


def test_a_working_directory_that_was_removed(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'rmdir "{gone}"; exec "{NALM}" check'
    done = subprocess.run(["sh", "-c", script], cwd=gone, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "the working directory was removed" in done.stderr
