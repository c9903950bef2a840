# SPDX-License-Identifier: Apache-2.0
"""Each planted change of the reference NF is reported once, with stage and cause, and nothing else is
reported."""

from __future__ import annotations

from typing import Any

import pytest
from farm import Farm
from nalm_server.cli.demo.history import Merge
from nalm_server_waiting import until

EXPERIMENT_PATIENCE = 3600.0
CELL_SECONDS = 5
PROJECT = "/projects/tiny"


@pytest.fixture(scope="module")
def alerts(farm: Farm) -> list[dict[str, Any]]:
    return [farm.get(f"/alerts/{one['id']}") for one in farm.get(f"{PROJECT}/alerts?limit=500")]


def test_each_planted_regression_is_one_alert_at_its_merge(
    alerts: list[dict[str, Any]], merges: list[Merge]
) -> None:
    reported = sorted((one["sha"], one["stage"], one["cause"]) for one in alerts)
    assert reported == sorted(
        (one.sha, one.stage, one.cause) for one in merges if one.expect == "regressed" and not one.at_load
    )


def test_each_was_seen_a_second_time_and_says_why(alerts: list[dict[str, Any]]) -> None:
    """By a second measurement, or, if an agent measures the fix before, by the fix."""
    assert any(one["confirmed_at"] is not None for one in alerts)
    for one in alerts:
        assert one["confirmed_at"] is not None or one["fix_measured_at"] is not None, one
        assert one["low"] <= one["ratio"] <= one["high"]
        assert one["explanation"]["stage"] == one["stage"]


def test_both_hosts_took_part(farm: Farm) -> None:
    hosts = {one["host"] for one in farm.get("/jobs?project=tiny&limit=200") if one["state"] == "done"}
    assert hosts == {"agent-1", "agent-2"}


@pytest.mark.parametrize(("kind", "names"), [("features", ["sfc_b"]), ("ablation", ["prefetch"])])
def test_an_experiment_is_measured_by_a_real_agent(farm: Farm, kind: str, names: list[str]) -> None:
    expected = {"kind": kind, "names": names, "cell_seconds": CELL_SECONDS}
    number = farm.post(f"{PROJECT}/experiments", expected)["id"]
    found = until(
        lambda: (
            farm.get(f"/experiments/{number}")["state"] not in ("queued", "running")
            and farm.get(f"/experiments/{number}")
        ),
        f"experiment {number}",
        patience_seconds=EXPERIMENT_PATIENCE,
    )
    assert found["state"] == "done", found
    assert found["result"] is not None
    assert found["cells"] == len(found["taken"]) > 0
    assert all(cell["unusable"] is None for cell in found["taken"]), found["taken"]
