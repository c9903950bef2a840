# SPDX-License-Identifier: Apache-2.0
"""The demo's result: each merge's verdict and planted change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.text.commit_name import short
from nalm_core.text.percents import bracketed_percent, change_percent
from rich.box import SIMPLE_HEAD
from rich.table import Table

from nalm_server.cli.demo.history import Merge

Failing = Mapping[str, Sequence[str]]
"""Metrics that regressed, by run."""
COLOURS = {
    "regressed": "bold red",
    "improved": "green",
    "feature": "cyan",
    "same": "default",
    "inconclusive": "yellow",
    "invalid": "yellow",
    "broken": "bold red",
}
FLAGGED = {"regressed", "improved"}
DISPLAY_ORDER = ("broken", "regressed", "improved", "feature", "inconclusive", "invalid", "same")
"""Displays, most important first: a merge with several scenarios shows the first of these."""


def as_planted(merge: Merge, commit: dict[str, Any], failing: Failing) -> bool:
    """True if the verdict in the merge's scenario is the planted one: outcome, and for a regression its
    stage, cause and metric as well; and no other scenario has one to report. A merge that changes no measured
    file counts as `same`."""
    verdicts = {one["scenario"]: one for one in commit["verdicts"]}
    if not verdicts and commit["skipped"] is not None:
        return merge.expect == "same"
    verdict = verdicts.pop(merge.scenario, None)
    if verdict is None or verdict["display"] != merge.expect:
        return False
    if any(one["display"] != "same" for one in verdicts.values()):
        return False
    if merge.expect != "regressed":
        return True
    if merge.metric is not None and merge.metric not in failing.get(verdict["run_id"], ()):
        return False
    return bool(verdict["stage"] == merge.stage and verdict["cause"] == merge.cause)


def verdict_of(commit: dict[str, Any]) -> dict[str, Any] | None:
    """The commit's most important verdict; None without verdicts."""
    verdicts: list[dict[str, Any]] = commit["verdicts"]
    return min(verdicts, key=lambda verdict: DISPLAY_ORDER.index(verdict["display"]), default=None)


def undecided(
    merges: list[Merge], commits: list[dict[str, Any]], repeated: list[dict[str, Any]]
) -> list[tuple[Merge, dict[str, Any]]]:
    """Verdicts that a busy host left open. repeated: jobs that measured one once more."""
    known = {(job["head_sha"], scenario) for job in repeated for scenario in job["scenarios"] or ()}
    return [
        (merge, verdict)
        for merge, commit in zip(merges, commits, strict=True)
        for verdict in commit["verdicts"]
        if verdict["display"] in ("inconclusive", "invalid") and (merge.sha, verdict["scenario"]) not in known
    ]


def failing_metrics(client: httpx.Client, commits: list[dict[str, Any]]) -> Failing:
    """The metrics that regressed in runs under load."""
    runs = [
        verdict["run_id"]
        for commit in commits
        for verdict in commit["verdicts"]
        if split_name(verdict["scenario"])[1] is not RunKind.CYCLES and verdict["display"] == "regressed"
    ]
    found = {}
    for run_id in runs:
        answer = client.get(f"/api/v1/runs/{run_id}").raise_for_status()
        changes = answer.json()["verdict"]["metrics"]
        found[run_id] = [one["metric"] for one in changes if one["outcome"] == "regressed"]
    return found


def make_table(merges: list[Merge], commits: list[dict[str, Any]], failing: Failing) -> tuple[Table, int]:
    """The table, and the number of merges judged as planted."""
    table = Table(
        title="Verdicts",
        title_justify="left",
        header_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("merge", no_wrap=True)
    table.add_column("subject", overflow="fold", min_width=14)
    table.add_column("verdict", min_width=9)
    table.add_column("change", justify="right", min_width=13)
    table.add_column("stage, cause", min_width=12)
    table.add_column("planted", min_width=10)
    right = 0
    for merge, commit in zip(merges, commits, strict=True):
        verdict = verdict_of(commit)
        skipped = verdict is None and commit["skipped"] is not None
        ok = as_planted(merge, commit, failing)
        right += ok
        display = verdict["display"] if verdict else (commit["job"] or {}).get("state", "not measured")
        table.add_row(
            commit["short_sha"],
            merge.subject,
            f"[{COLOURS.get(display, 'default')}]{display}[/]",
            "not touched" if skipped else change(verdict),
            detail(verdict),
            ("[green]as planted[/]" if ok else f"[red]planted: {planted(merge)}[/]"),
        )
    return table, right


def planted(merge: Merge) -> str:
    return ", ".join(part for part in (merge.expect, merge.metric, merge.stage, merge.cause) if part)


def change(verdict: dict[str, Any] | None) -> str:
    """The change of the chain's CPP with its interval; of a run under load its summary."""
    if verdict is None:
        return ""
    if verdict["unchanged"] and verdict["price_cycles_per_packet"] is None:
        return "same code"
    if verdict["display"] == "feature" and verdict["price_cycles_per_packet"] is not None:
        return f"price {verdict['price_cycles_per_packet']:+.0f} cycles/packet"
    if verdict["ratio_cpp"] is None:
        return str(verdict["summary"]) if split_name(verdict["scenario"])[1] is not RunKind.CYCLES else ""
    size, low, high = (verdict[key] - 1 for key in ("ratio_cpp", "low", "high"))
    return f"{change_percent(size)} {bracketed_percent(low, high)}"


def detail(verdict: dict[str, Any] | None) -> str:
    if verdict is None:
        return ""
    if verdict["display"] == "feature":
        added = [f"+{name}" for name in verdict["features_added"]]
        return " ".join(added + [f"-{name}" for name in verdict["features_removed"]])
    if verdict["display"] not in FLAGGED:
        return ""
    parts = ", ".join(part for part in (verdict["stage"], verdict["cause"]) if part)
    return parts + (f"; fixes {short(verdict['fixes_sha'])}" if verdict["fixes_sha"] else "")
