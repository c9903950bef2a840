# SPDX-License-Identifier: Apache-2.0
"""`nalm history`: the printed form of the server's answer, and the message if there is none."""

from __future__ import annotations

import io
from pathlib import Path

import httpx
import pytest
from nalm_agent.desk.print_history import course_lines, event_lines, print_history
from nalm_agent.report.sparkline import sparkline
from nalm_agent.runtime.errors import NalmError, ServerError, UsageError
from nalm_agent.server_api.reads import ask
from nalm_agent.shell.app import app
from nalm_core.wire.history import History
from rich.console import Console
from tiny import NfRepository
from typer.testing import CliRunner

ADDRESS = "https://nalm.example.org"
SHAS = [f"{digit}" * 40 for digit in range(1, 5)]


def answer() -> dict[str, object]:
    values = [
        {"value": value, "low": value - 1, "high": value + 1, "source": "tsc"} for value in (100, 101, 120)
    ]
    return {
        "metric": {"name": "cpp", "title": "CPP", "unit": "cycles/packet", "better": "lower", "formula": ""},
        "scenario": "sfc_a",
        "host_class": "metal",
        "host_classes": ["metal", "vm"],
        "stages": ["chain"],
        "missing": None,
        "points": [
            {
                "sha": sha,
                "short_sha": sha[:7],
                "subject": f"commit {at}",
                "committed_at": "2026-01-02T03:04:05Z",
                "display": "regressed" if at == 3 else "same",
                "culprit_stage": "nat" if at == 3 else None,
                "values": {"chain": value},
            }
            for at, (sha, value) in enumerate(zip(SHAS, [values[0], None, *values[1:]], strict=True))
        ],
        "change_points": [
            {
                "sha": SHAS[3],
                "stage": "chain",
                "metric": "cpp",
                "ratio": 1.19,
                "direction": "regressed",
                "probability": 0.98,
                "alert_id": 7,
            }
        ],
        "segments": [
            {
                "sha": SHAS[2],
                "kind": "environment",
                "changes": [{"field": "kernel", "base": "6.1", "head": "6.2"}],
            }
        ],
    }


def test_course_events_and_the_newest_commits() -> None:
    history = History.model_validate(answer())
    line, marks, reported = course_lines(history, "chain", 80, "utf-8")
    assert (line, marks) == ("▁.▁█", "   ^")
    assert "4 commits, 100 to 120, newest 120" in reported
    segment, level = event_lines(history, "chain")
    assert segment == "3333333  new segment: kernel 6.1 to 6.2"
    assert level == "4444444  level +19.0 %, regressed, probability 0.98, alert 7"
    assert list(event_lines(history, "nat")) == [segment]
    assert list(course_lines(history, "nat", 80, "utf-8")) == ["no figures"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_table_fits_its_terminal(width: int) -> None:
    out = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_history(out, History.model_validate(answer()), "chain", rows=2)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    assert "4444444" in text and "1111111" not in text
    assert all(len(line) <= width for line in text.splitlines() if "commit 3" in line)
    assert "+18.8 %" in text or width < 80
    assert "120" in text and "regressed nat" in text


def test_a_course_without_blocks_and_without_movement() -> None:
    assert sparkline([1, None, 2], "latin-1") == "0.7"
    assert sparkline([5, 5], "UTF-8") == "▁▁"
    assert sparkline([], None) == ""


@pytest.mark.parametrize(
    ("response", "kind", "said"),
    [
        (
            httpx.Response(404, json={"error": {"message": "no such scenario"}}),
            UsageError,
            "no such scenario",
        ),
        (httpx.Response(401, json={"error": {"message": "sign in"}}), UsageError, "sign in"),
        (httpx.Response(500, text="down"), ServerError, "answers 500"),
        (httpx.Response(200, text="<html>"), ServerError, "not a nalm server"),
    ],
)
def test_refusals_say_what_to_do(response: httpx.Response, kind: type[NalmError], said: str) -> None:
    transport = httpx.MockTransport(lambda request: response)
    with pytest.raises(kind, match=said) as error:
        ask(ADDRESS, None, "/x", {}, History, transport=transport)
    assert error.value.hint


def test_server_and_project_have_to_be_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NALM_SERVER", raising=False)
    monkeypatch.chdir(tmp_path)
    first = CliRunner().invoke(app, ["history", "sfc_a"]).exception
    second = CliRunner().invoke(app, ["history", "sfc_a", "--server", ADDRESS]).exception
    third = CliRunner().invoke(app, ["history", "sfc_a", "--function", "flow_find"]).exception
    assert isinstance(third, UsageError) and "needs a stage" in third.message
    assert isinstance(first, UsageError) and "no server is named" in first.message
    assert isinstance(second, UsageError) and "no project is named" in second.message


def test_the_project_is_that_of_the_repository_wherever_below_it(
    nf_repository: NfRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    nf_repository.write("src/nat.c", "")
    monkeypatch.chdir(nf_repository.path / "src")
    error = CliRunner().invoke(app, ["history", "sfc_a", "--server", "http://127.0.0.1:9"]).exception
    assert isinstance(error, ServerError)
    assert error.message == "http://127.0.0.1:9 cannot be reached: Connection refused"
