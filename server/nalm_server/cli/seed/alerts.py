# SPDX-License-Identifier: Apache-2.0
"""Rows of seeded alerts: one for each commit that slowed scenarios down, the older ones decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from math import exp
from typing import Any

from nalm_server.cli.seed.rows import HALF, HOST_CLASS, Slower
from nalm_server.cli.seed.story import SeededCommit, scenario_name

STATES = ("confirmed", "acknowledged", "confirmed", "fixed", "confirmed", "expected", "new", "false_alarm")
"""In turn; what is older than half of the history is fixed."""
REASONS = {
    "confirmed": "a second measurement shows it too",
    "acknowledged": "being examined",
    "fixed": "a later commit undid it",
    "expected": "the price of the new feature",
    "new": "suspected",
    "false_alarm": "the host was busy",
}
ASSIGNED = {"acknowledged": "ada"}


@dataclass
class AlertRows:
    alerts: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)

    def add(self, commit: SeededCommit, slower: dict[int, Slower], ids: dict[str, int], total: int) -> None:
        """slower: by scenario. Nothing for a commit that slowed nothing down."""
        if not slower:
            return
        number = len(self.alerts)
        most = max(slower, key=lambda place: slower[place].ratio)
        largest = slower[most].ratio
        state = STATES[number % len(STATES)] if commit.number > total / 2 else "fixed"
        at = commit.at + timedelta(minutes=30)
        alert_id, commit_id = ids["alerts"] + number, ids["commits"] + commit.number - 1
        found = {"project_id": ids["project"], "commit_id": commit_id}
        size = _size(largest)
        self.alerts.append(
            {
                "id": alert_id,
                "state": state,
                "kind": "regression",
                "source": "pair",
                "scenarios": sorted(map(scenario_name, slower)),
                "muted": False,
                "scenario": scenario_name(most),
                "stage": commit.stage,
                "metric": "cpp",
                "severity": largest * len(slower),
                "reason": REASONS[state],
                "assignee": ASSIGNED.get(state),
                "confirmed_at": None if state == "new" else at,
                "measured_after": None if state == "new" else 1,
                "created_at": commit.at,
                "updated_at": at,
                **found,
                **size,
            }
        )
        self.steps.append(
            {"alert_id": alert_id, "state": state, "at": at, "why": REASONS[state], "notified": False}
        )
        self.moves += [
            {
                "alert_id": alert_id,
                "scenario": scenario_name(place),
                "host_class": HOST_CLASS,
                "stage": commit.stage,
                "metric": "cpp",
                "source": "pair",
                "kind": "regression",
                "run_number": one.run_number,
                "fate": "alert",
                "at": commit.at,
                **found,
                **_size(one.ratio),
            }
            for place, one in slower.items()
        ]


def _size(ratio: float) -> dict[str, float]:
    return {"ratio": exp(ratio), "low": exp(ratio - HALF), "high": exp(ratio + HALF)}
