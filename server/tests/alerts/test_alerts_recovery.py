# SPDX-License-Identifier: Apache-2.0
"""After a fix, the alert stays open while the rest of the regression exceeds the margin."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha

SLOW, HALF, WHOLE = {"nat": 190.0}, {"nat": 165.0}, {"nat": 150.0}
"""Of base's 150 cycles: 40 lost, then 25 of them, then all back."""


def measure(service: Service, run: int, base: int, head: int, **given: Any) -> None:
    service.upload(body_of(make_report(run, base=base, head=head, **given)))


def lose(service: Service, *scenarios: str) -> None:
    measure(service, 90, 0, 1)
    for run, scenario in enumerate(scenarios, start=1):
        measure(service, run, 1, 2, head_costs=SLOW, scenario=scenario)
    service.confirm_alerts()


def fix(service: Service, run: int, *, to: dict[str, float], scenario: str = "sfc_a", **given: Any) -> None:
    measure(service, run, 2, 3, base_costs=COSTS | SLOW, head_costs=to, scenario=scenario, **given)


def only(service: Service) -> dict[str, Any]:
    (found,) = service.get("/projects/demo/alerts")
    shown: dict[str, Any] = service.get(f"/alerts/{found['id']}")
    return shown


def test_a_fix_of_a_part_stays_open_and_says_what_remains(service: Service) -> None:
    lose(service, "sfc_a")
    fix(service, 10, to=HALF)
    shown = only(service)
    assert (shown["state"], shown["fixed_by_sha"], shown["fix_measured_at"]) == ("partly_fixed", sha(3), None)
    (rest,) = shown["recovery"]
    lost, kept = sum(SLOW.values()) - 150, sum(HALF.values()) - 150
    assert rest["remains"] - 1 == pytest.approx((rest["lost"] - 1) * kept / lost, rel=0.1)
    assert rest["low"] < rest["remains"] < rest["high"]
    assert (rest["level"], rest["direct"], rest["fixes"]) == (0.95, False, [sha(3)])
    assert "undoes it in part: recovered " in shown["reason"]
    assert "every scenario" not in shown["reason"]
    assert service.get("/projects/demo")["alerts_open"] == 1
    assert service.get("/overview")["alerts_open"] == 1
    assert [one["state"] for one in shown["history"]] == ["new", "confirmed", "partly_fixed"]
    verdict = service.get(f"/runs/{10:032x}")["verdict"]
    assert verdict["fixes_sha"] == sha(2)
    assert verdict["recovery"]["remains"] == pytest.approx(rest["remains"])


def test_a_second_fix_of_the_rest_closes_it(service: Service) -> None:
    lose(service, "sfc_a")
    fix(service, 10, to=HALF)
    measure(service, 11, 3, 4, base_costs=COSTS | HALF, head_costs=WHOLE)
    shown = only(service)
    assert (shown["state"], shown["fixed_by_sha"]) == ("fixed", sha(4))
    assert shown["fix_measured_at"] is not None
    assert shown["recovery"][0]["fixes"] == [sha(3), sha(4)]
    assert shown["recovery"][0]["remains"] == pytest.approx(1, abs=0.01)
    assert service.get("/projects/demo")["alerts_open"] == 0


def test_the_last_good_commit_against_the_fix_decides(service: Service) -> None:
    """A direct run of the two ends overrides the product of two runs, whether it shows more or less."""
    lose(service, "sfc_a")
    fix(service, 10, to=HALF)
    measure(service, 11, 1, 3, head_costs=WHOLE)
    shown = only(service)
    assert (shown["state"], shown["recovery"][0]["direct"]) == ("fixed", True)
    assert shown["recovery"][0]["run_id"] == f"{11:032x}"
    measure(service, 12, 1, 3, head_costs=HALF)
    shown = only(service)
    assert shown["state"] == "partly_fixed", "a later such run says otherwise"
    assert shown["recovery"][0]["run_id"] == f"{12:032x}"


def test_a_scenario_that_the_fix_leaves_as_it_was_keeps_it_open(service: Service) -> None:
    lose(service, "sfc_a", "sfc_b")
    fix(service, 10, to=WHOLE)
    assert only(service)["state"] == "confirmed", "the other scenario is not measured yet"
    fix(service, 11, to=SLOW, scenario="sfc_b")
    shown = only(service)
    assert shown["state"] == "partly_fixed"
    assert [one["scenario"] for one in shown["recovery"]] == ["sfc_a"]
    assert shown["reason"].endswith("; nothing in sfc_b")


def test_a_fix_that_is_whole_everywhere_says_so(service: Service) -> None:
    lose(service, "sfc_a", "sfc_b")
    fix(service, 11, to=WHOLE, scenario="sfc_b")
    fix(service, 10, to=WHOLE)
    shown = only(service)
    assert shown["state"] == "fixed"
    assert "undoes it in every scenario: sfc_" in shown["reason"]
    assert len(shown["recovery"]) == 2


def test_what_fixed_a_part_and_is_worse_again_reopens_it(service: Service) -> None:
    lose(service, "sfc_a")
    fix(service, 10, to=HALF)
    measure(service, 11, 2, 3, base_costs=COSTS | HALF, head_costs=SLOW)
    shown = only(service)
    assert shown["state"] == "reopened"
    assert (shown["fixed_by_sha"], shown["recovery"]) == (None, None)


def test_people_may_take_up_and_close_what_is_fixed_in_part(service: Service) -> None:
    lose(service, "sfc_a")
    fix(service, 10, to=HALF)
    number = only(service)["id"]
    for state in ("acknowledged", "fixed"):
        service.post(f"/alerts/{number}/state", "admin", 200, {"state": state, "why": "the rest is wanted"})
    shown = only(service)
    assert (shown["state"], shown["fixed_by_sha"], shown["fix_measured_at"]) == ("fixed", sha(3), None)
    findings = service.get("/projects/demo/detection-quality")["findings"]
    assert (findings["accepted"]["hits"], findings["fix_measured"]["hits"]) == (1, 0)


def test_a_step_says_to_how_many_it_was_sent(service: Service) -> None:
    lose(service, "sfc_a")
    reported = {one["state"]: (one["told"], one["messages"]) for one in only(service)["history"]}
    assert reported == {"new": (False, None), "confirmed": (True, 0)}
