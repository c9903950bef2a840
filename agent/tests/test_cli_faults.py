# SPDX-License-Identifier: Apache-2.0
"""How `nalm` ends on a fault of its own."""

from __future__ import annotations

import os
import subprocess

import pytest
import typer
from nalm_agent.cli import FAULT, UNREAD, run_app
from tiny import NALM


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


def test_a_reader_that_goes_away_is_no_regression() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([NALM, "--version"], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.returncode == UNREAD
