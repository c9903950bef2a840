# SPDX-License-Identifier: Apache-2.0
"""The demo's alerts: waits until each was measured again, and prints a line each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
from nalm_core.text.amounts import amount
from nalm_core.text.commit_name import short
from nalm_core.text.percents import change_percent

from nalm_server.alerts.suspicion import CHAIN

POLL_SECONDS = 2.0
OPEN = "new"
SUSPECTED = "suspected"
"""The page's word for it: not measured again yet, or not confirmed by that."""


def fetch_alerts(client: httpx.Client, project: str) -> list[dict[str, Any]]:
    """Newest first."""
    answer = client.get(f"/api/v1/projects/{project}/alerts", params={"order": "new"})
    answer.raise_for_status()
    alerts: list[dict[str, Any]] = answer.json()
    return alerts


def settled(
    client: httpx.Client, project: str, *, check_server: Callable[[], None], limit_seconds: float
) -> list[dict[str, Any]]:
    """The alerts, once none is new, or after the timeout. `check_server` raises if the server has ended."""
    ends = time.monotonic() + limit_seconds
    while True:
        check_server()
        alerts = fetch_alerts(client, project)
        if all(one["state"] != OPEN for one in alerts) or time.monotonic() > ends:
            return alerts
        time.sleep(POLL_SECONDS)


def alert_lines(alerts: Sequence[dict[str, Any]]) -> list[str]:
    """A heading, and a line for each."""
    number = "no alert" if not alerts else f"{amount(len(alerts), 'alert')}:"
    return [number, *(_line(one) for one in alerts)]


def _line(one: dict[str, Any]) -> str:
    stage = None if one["stage"] == CHAIN else one["stage"]
    state = SUSPECTED if one["state"] == OPEN else one["state"].replace("_", " ")
    parts = [state, stage, one["cause"]]
    metric = one["metric_title"] or "CPP"
    size = "" if one["ratio"] is None else f", {metric} {change_percent(one['ratio'] - 1)}"
    fixed = f" (by {short(one['fixed_by_sha'])})" if one["fixed_by_sha"] else ""
    remains = max((each["remains"] for each in one["recovery"] or []), default=None)
    rest = "" if remains is None else f", remains {change_percent(remains - 1)}"
    what = ", ".join(part for part in parts if part)
    return f"  {short(one['sha'])} {one['subject']}: {what}{size}{fixed}{rest}"
