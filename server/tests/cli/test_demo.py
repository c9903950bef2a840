# SPDX-License-Identifier: Apache-2.0
"""The demo without an NF: what it looks at first, what it sends, how it compares with what was planted."""

from __future__ import annotations

import shutil
import socket
import subprocess
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from nalm_server.app.context import make_context
from nalm_server.auth.sign_in.schemas import ByLink
from nalm_server.auth.sign_in.service import sign_in
from nalm_server.base.errors import UnauthorizedError
from nalm_server.base.settings import Settings
from nalm_server.cli.demo.alerts import alert_lines, settled
from nalm_server.cli.demo.deliver import push_payload
from nalm_server.cli.demo.errors import DemoError
from nalm_server.cli.demo.follow import Followed, number_ended
from nalm_server.cli.demo.history import Merge, make_history
from nalm_server.cli.demo.preflight import check_disk, check_port, check_programs
from nalm_server.cli.demo.table import as_planted, failing_metrics, make_table, undecided, verdict_of
from nalm_server.cli.demo.way_in import way_in
from rich.console import Console


def merge(expect: str, stage: str | None = None, cause: str | None = None) -> Merge:
    return Merge("a" * 40, "b" * 40, "a merge", expect, stage, cause)


def verdict(display: str, stage: str | None = None, cause: str | None = None, **more: Any) -> dict[str, Any]:
    fields = {"ratio_cpp": 1.1, "low": 1.05, "high": 1.15, "unchanged": False, "fixes_sha": None}
    fields |= {"price_cycles_per_packet": None, "features_added": [], "features_removed": []}
    fields |= {"scenario": "sfc_a", "run_id": "1" * 32, "summary": "a summary"}
    return fields | {"display": display, "stage": stage, "cause": cause} | more


@pytest.mark.parametrize(
    ("planted", "judged", "right"),
    [
        (merge("same"), verdict("same"), True),
        (merge("same"), verdict("inconclusive"), False),
        (merge("same"), None, False),
        (merge("regressed", "nat", "instructions"), verdict("regressed", "nat", "instructions"), True),
        (merge("regressed", "nat", "instructions"), verdict("regressed", "dpi", "instructions"), False),
        (merge("regressed", "nat", "instructions"), verdict("regressed", "nat", "pipeline"), False),
        (merge("regressed", "nat", "instructions"), verdict("improved", "nat", "instructions"), False),
        (merge("improved", "nat", "instructions"), verdict("improved", "l3fwd", "pipeline"), True),
    ],
)
def test_as_planted(planted: Merge, judged: dict[str, Any] | None, right: bool) -> None:
    commit = {"verdicts": [] if judged is None else [judged], "skipped": None}
    assert as_planted(planted, commit, {}) is right


TAIL = Merge(
    "a" * 40, "b" * 40, "a tail", "regressed", None, None, scenario="sfc_a:rate", metric="latency_p99_ns"
)
AT_LOAD = {"scenario": "sfc_a:rate", "run_id": "2" * 32}


@pytest.mark.parametrize(
    ("verdicts", "failing", "right"),
    [
        ([verdict("same"), verdict("regressed", **AT_LOAD)], ["latency_p99_ns"], True),
        ([verdict("same"), verdict("regressed", **AT_LOAD)], ["latency_p50_ns"], False),
        ([verdict("same"), verdict("regressed", "rx", **AT_LOAD)], ["latency_p99_ns"], False),
        ([verdict("regressed", "nat"), verdict("regressed", **AT_LOAD)], ["latency_p99_ns"], False),
        ([verdict("same"), verdict("inconclusive", **AT_LOAD)], [], False),
        ([verdict("same")], [], False),
    ],
)
def test_a_change_under_load_is_found_there_by_its_metric(
    verdicts: list[dict[str, Any]], failing: list[str], right: bool
) -> None:
    commit = {"verdicts": verdicts, "skipped": None}
    assert as_planted(TAIL, commit, {"2" * 32: failing}) is right


def test_what_a_busy_host_left_open_is_named() -> None:
    commit = {"verdicts": [verdict("same"), verdict("inconclusive", **AT_LOAD)]}
    ((merged, open_),) = undecided([TAIL], [commit], [])
    assert (merged, open_["scenario"]) == (TAIL, "sfc_a:rate")
    repeated = {"head_sha": TAIL.sha, "scenarios": ["sfc_a:rate"]}
    assert undecided([TAIL], [commit], [repeated]) == [], "once more, and not with every run of the demo"


def test_metrics_are_read_of_regressed_runs_under_load() -> None:
    metrics = [
        {"metric": "load_cpp", "outcome": "regressed"},
        {"metric": "loss_ratio", "outcome": "same"},
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == f"/api/v1/runs/{'2' * 32}"
        return httpx.Response(200, json={"verdict": {"metrics": metrics}})

    client = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://demo")
    commits = [{"verdicts": [verdict("regressed", "nat"), verdict("regressed", **AT_LOAD)]}]
    assert failing_metrics(client, commits) == {"2" * 32: ["load_cpp"]}


def test_a_regression_in_one_scenario_is_not_hidden_by_another() -> None:
    commit = {"verdicts": [verdict("same"), verdict("regressed", "nat"), verdict("improved")]}
    found = verdict_of(commit)
    assert found is not None
    assert found["display"] == "regressed"
    assert verdict_of({"verdicts": []}) is None


def test_the_table_counts_what_is_right_and_shows_a_failed_job() -> None:
    judged = {"short_sha": "aaaaaaa", "verdicts": [verdict("same")], "job": {"state": "done"}}
    failed = {"short_sha": "bbbbbbb", "verdicts": [], "job": {"state": "failed"}}
    documents = {"short_sha": "ccccccc", "verdicts": [], "job": None, "skipped": "touches nothing"}
    shown = [judged | {"skipped": None}, failed | {"skipped": None}, documents]
    table, right = make_table([merge("same"), merge("same"), merge("same")], shown, {})
    assert right == 2
    said = ["[default]same[/]", "[default]failed[/]", "[default]not measured[/]"]
    assert list(table.columns[2].cells) == said


def test_measurements_are_counted_until_each_has_ended() -> None:
    followed = Followed("demo", ["a" * 40, "b" * 40], at_load=1)
    documents = {"job": None, "skipped": "touches nothing that is measured"}
    waits = {"job": {"state": "queued"}, "skipped": None}
    push = {"state": "done"}
    assert number_ended(followed, [], []) == (0, 3)
    assert number_ended(followed, [documents, waits], [{"state": "queued"}]) == (1, 3)
    assert number_ended(followed, [documents, waits], [push]) == (2, 3), "the schedule is not due yet"
    assert number_ended(followed, [documents, waits], [push, {"state": "failed"}]) == (3, 3)
    repeated = [push, push, {"state": "measuring"}]
    assert number_ended(followed, [documents, waits], repeated) == (3, 4), "one is measured once more"


ALERT = {
    "sha": "a" * 40,
    "subject": "nat: count",
    "state": "new",
    "stage": "nat",
    "cause": "instructions",
    "metric": "cpp",
    "metric_title": "CPP",
    "ratio": 1.12,
    "fixed_by_sha": None,
    "recovery": None,
}


def reported(*states: str) -> tuple[httpx.Client, list[str]]:
    """A server whose one alert is in these states, one after another, and what is left of them."""
    left = list(states)

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=[ALERT | {"state": left.pop(0) if len(left) > 1 else left[0]}])

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://demo"), left


def test_findings_are_waited_for_until_they_were_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nalm_server.cli.demo.alerts.POLL_SECONDS", 0.0)
    client, _ = reported("new", "new", "confirmed")
    (alert,) = settled(client, "demo", check_server=lambda: None, limit_seconds=60)
    assert alert["state"] == "confirmed"
    client, left = reported("new", "new", "new")
    (alert,) = settled(client, "demo", check_server=lambda: None, limit_seconds=0)
    assert (alert["state"], len(left)) == ("new", 2), "its time is over: shown as it is"


def test_an_alert_in_a_line() -> None:
    assert alert_lines([]) == ["no alert"]
    fixed = ALERT | {"state": "fixed", "fixed_by_sha": "b" * 40}
    tail = ALERT | {
        "metric": "latency_p99_ns",
        "metric_title": "Latency p99",
        "stage": "chain",
        "cause": None,
        "ratio": 3.0,
    }
    assert alert_lines([ALERT, fixed, tail]) == [
        "3 alerts:",
        "  aaaaaaa nat: count: suspected, nat, instructions, CPP +12.0 %",
        "  aaaaaaa nat: count: fixed, nat, instructions, CPP +12.0 % (by bbbbbbb)",
        "  aaaaaaa nat: count: suspected, Latency p99 +200 %",
    ]


def test_a_taken_port_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(DemoError, match=f"port {port} .* is taken.*PORT={port + 1}"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)


def test_a_disk_without_room_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_disk(tmp_path / "state")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5 << 20))
    with pytest.raises(DemoError, match="5 MiB free"):
        check_disk(tmp_path / "state")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DemoError, match="cannot write"):
        check_disk(tmp_path / "file" / "state")


def test_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name in ("ninja", "valgrind") else name)
    with pytest.raises(DemoError, match=r"ninja \(package ninja-build\), valgrind \(package valgrind\)"):
        check_programs()


def test_without_the_sources_it_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="--source"):
        make_history(tmp_path, tmp_path / "to")


def test_the_way_in_is_a_link_until_an_administrator_has_used_one(
    sqlite_template: Path, tmp_path: Path
) -> None:
    shutil.copy(sqlite_template, tmp_path / "nalm.db")
    links = [way_in(tmp_path, "http://demo").partition("http://demo/sign-in#link=")[2] for _ in range(2)]
    context = make_context(Settings(state_dir=tmp_path))
    with pytest.raises(UnauthorizedError):
        sign_in(context, ByLink(link=links[0]), "here")
    sign_in(context, ByLink(link=links[1]), "here")
    with pytest.raises(UnauthorizedError):
        sign_in(context, ByLink(link=links[1]), "here")
    context.engine.dispose()
    assert way_in(tmp_path, "http://demo").startswith("sign in at http://demo/sign-in ")


def test_the_payload_tells_what_git_knows(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        return subprocess.check_output(["git", "-C", str(tmp_path), *identity, *arguments], text=True).strip()

    git("init", "-q", "-b", "main")
    for subject in ("first", "second\n\nwith a body"):
        git("commit", "-q", "--allow-empty", "-m", subject)
    head, parent = git("rev-parse", "HEAD"), git("rev-parse", "HEAD~1")
    payload = push_payload(tmp_path, "nf", "main", Merge(head, parent, "second", "same", None, None))
    assert (payload["before"], payload["after"], payload["ref"]) == (parent, head, "refs/heads/main")
    assert [commit["id"] for commit in payload["commits"]] == [head]
    assert payload["head_commit"]["message"] == "second\n\nwith a body"
    assert payload["head_commit"]["author"] == {"name": "Ada", "email": "ada@example.org"}


def test_the_table_keeps_its_words_whole_on_eighty_columns() -> None:
    fixed = verdict("improved", "l3fwd", "instructions") | {"fixes_sha": "d" * 40}
    subject = "l3fwd: remember the route of each destination"
    planted = Merge("a" * 40, "b" * 40, subject, "improved", None, None)
    shown = {"short_sha": "aaaaaaa", "verdicts": [fixed], "job": {"state": "done"}, "skipped": None}
    console = Console(width=80, record=True, file=StringIO())
    untouched = {"short_sha": "bbbbbbb", "verdicts": [], "job": None, "skipped": "nothing measured changed"}
    console.print(make_table([planted, merge("same")], [shown, untouched], {})[0])
    text = console.export_text()
    words = text.split()
    assert text.count("as planted") == 2
    assert {"remember", "destination", "improved", "instructions;", "ddddddd", "planted"} <= set(words)
