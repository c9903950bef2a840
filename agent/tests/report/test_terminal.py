# SPDX-License-Identifier: Apache-2.0
"""What a person at a terminal gets: a real pseudo-terminal for the bar, 80 columns for the rest."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest
from nalm_agent.doctor.finding import Finding, Level
from nalm_agent.doctor.show import print_findings
from nalm_agent.report.stage_table import stage_table
from nalm_agent.report.table_width import fit
from nalm_core.verdict.verdict import judge
from nalm_server_reports import make_report
from rich.console import Console
from rich.table import Table

SLOWER = {"head_costs": {"nat": 180.0}, "head_ipps": {"nat": 400}}


def test_results_go_to_standard_output_while_the_bar_is_on_the_terminal() -> None:
    """`nalm bisect --json >file`: rich would send what is printed below its bar to the terminal."""
    code = "from nalm_agent.report.console import Terminal\nwith Terminal(): print('result', flush=True)"
    mine, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdin=theirs,
            stderr=theirs,
            stdout=subprocess.PIPE,
            env=os.environ | {"TERM": "xterm"},
            check=True,
        )
    finally:
        os.close(theirs)
        os.close(mine)
    assert done.stdout == b"result\n"


@pytest.mark.parametrize(
    ("locale", "terminal", "shown"),
    [
        ({"LC_ALL": "C"}, True, "+-1 ~ ? ?\r\n"),
        ({"LC_ALL": "C"}, False, "±1 … ▁ é\n"),
        ({"LC_ALL": "C.UTF-8"}, True, "±1 … ▁ é\r\n"),
        ({"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"}, False, "\udcb11 ~ ? \udce9\n"),
    ],
)
def test_a_terminal_gets_what_it_can_show(*, locale: dict[str, str], terminal: bool, shown: str) -> None:
    code = "from nalm_agent.shell.encoding import respect_terminal\nrespect_terminal(); print('±1 … ▁ é')"
    mine, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=theirs if terminal else subprocess.PIPE,
            env=os.environ | locale,
            check=True,
        )
        said = os.read(mine, 100) if terminal else done.stdout
    finally:
        os.close(theirs)
        os.close(mine)
    assert said.decode(errors="surrogateescape") == shown


@pytest.mark.parametrize(("width", "interval"), [(64, False), (80, True), (120, True)])
def test_a_verdict_is_never_cut(*, width: int, interval: bool) -> None:
    verdict = judge(make_report(1, **SLOWER))
    out = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    out.print(stage_table(verdict, width, framed=True))
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    assert "…" not in text and "instructions" in text
    assert ("interval" in text) is interval
    assert all(len(line) <= width for line in text.splitlines())


def test_columns_give_way_in_their_order_and_only_as_far_as_needed() -> None:
    def left(width: int) -> list[object]:
        table = Table("load", "p50", "trials", box=None)
        table.add_row("1.250 Mpps", "12.5", "3 of 3")
        return [one.header for one in fit(table, width, ("trials", "load")).columns]

    assert left(80) == ["load", "p50", "trials"]
    assert left(20) == ["load", "p50"]
    assert left(4) == ["p50"]


def test_a_finding_goes_on_below_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    print_findings([Finding("load", Level.NOTE, "much", "word " * 20, "stop [it]")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and all(len(line) <= 60 for line in lines)
    assert lines[2].startswith(" " * 16 + "word") and lines[-1].endswith("stop [it]")
