# SPDX-License-Identifier: Apache-2.0
"""The demo's result: each merge's verdict and planted change."""

from __future__ import annotations

from typing import Any

from nalm_core.text.commit_name import short
from rich.box import SIMPLE_HEAD
from rich.table import Table

from nalm_server.cli.demo.history import Merge

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


def as_planted(merge: Merge, verdict: dict[str, Any] | None, *, skipped: bool = False) -> bool:
    """True if the verdict is the planted one: outcome, and for a regression its stage and cause as well. A
    merge that changes no measured file counts as `same`."""
    if skipped:
        return merge.expect == "same"
    if verdict is None or verdict["display"] != merge.expect:
        return False
    if merge.expect != "regressed":
        return True
    return bool(verdict["stage"] == merge.stage and verdict["cause"] == merge.cause)


def verdict_of(commit: dict[str, Any]) -> dict[str, Any] | None:
    """The commit's most important verdict; None without verdicts."""
    verdicts: list[dict[str, Any]] = commit["verdicts"]
    return min(verdicts, key=lambda verdict: DISPLAY_ORDER.index(verdict["display"]), default=None)


def make_table(merges: list[Merge], commits: list[dict[str, Any]]) -> tuple[Table, int]:
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
    table.add_column("CPP change", justify="right", min_width=13)
    table.add_column("stage, cause", min_width=12)
    table.add_column("planted", min_width=10)
    right = 0
    for merge, commit in zip(merges, commits, strict=True):
        verdict = verdict_of(commit)
        skipped = verdict is None and commit["skipped"] is not None
        ok = as_planted(merge, verdict, skipped=skipped)
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
    return ", ".join(part for part in (merge.expect, merge.stage, merge.cause) if part)


def change(verdict: dict[str, Any] | None) -> str:
    """The change of the chain's CPP with its interval."""
    if verdict is None:
        return ""
    if verdict["unchanged"] and verdict["price_cycles_per_packet"] is None:
        return "same code"
    if verdict["display"] == "feature" and verdict["price_cycles_per_packet"] is not None:
        return f"price {verdict['price_cycles_per_packet']:+.0f} cycles/packet"
    if verdict["ratio_cpp"] is None:
        return ""
    percent = [100 * (verdict[key] - 1) for key in ("ratio_cpp", "low", "high")]
    return f"{percent[0]:+.1f} % [{percent[1]:+.1f}, {percent[2]:+.1f}]"


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
