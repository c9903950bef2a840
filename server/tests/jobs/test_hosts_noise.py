# SPDX-License-Identifier: Apache-2.0
"""The smallest change that a host can detect, according to its own runs."""

from __future__ import annotations

from datetime import UTC, datetime
from math import log, sqrt

import pytest
from nalm_server.results.noise import resolution, spread
from nalm_server.results.noise_repository import MeasuredRun
from nalm_server_harness import Service
from nalm_server_reports import LAUNCHES, body_of, in_layouts, make_report

NOISE = "/hosts/bench-vm-2/noise"


def test_runs_on_a_host_tell_what_it_can_see(service: Service) -> None:
    for number in (1, 2):
        service.upload(body_of(make_report(number)))
    service.upload(body_of(make_report(3, scenario="sfc_b")))
    reported = service.request("GET", NOISE, "admin")
    assert [one["scenario"] for one in reported["points"]] == ["sfc_a", "sfc_a", "sfc_b"], "oldest first"
    assert {one["launches"] for one in reported["points"]} == {LAUNCHES}
    first = reported["sights"][0]
    assert (first["project"], first["scenario"], first["runs"]) == ("demo", "sfc_a", 2)
    changes = [one["change"] for one in first["sees"]]
    assert changes == sorted(changes, reverse=True), "more launches see less"


def test_runs_that_the_caller_may_not_read_are_left_out(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.request("PATCH", "/projects/demo", "admin", json={"public": False})
    service.post("/projects", "admin", 201, {"name": "other", "repository": "/srv/other.git"})
    made = service.post("/projects/other/tokens", "admin", 201, {"name": "reads", "scope": "read"})
    service.tokens["other"] = made["token"]
    assert service.request("GET", NOISE, "other") == {"points": [], "resolutions": [], "sights": []}


def test_the_spread_behind_an_interval() -> None:
    """Student's t at 97.5 % with 3 degrees of freedom is 3.182."""
    assert spread(1 / 1.03, 1.03, 4, 4) == pytest.approx(0.029559 / 3.1824 * 2, rel=1e-4)
    assert spread(1 / 1.03, 1.03, 16, 4) == pytest.approx(0.029559 / 3.1824 * 4, rel=1e-4), "four layouts"
    assert spread(0.9, 1.1, 2, 2) is None
    assert spread(0.9, 1.1, 12, 2) is None


def test_the_spread_of_launches_in_layouts_has_the_layouts_degrees_of_freedom(service: Service) -> None:
    """Student's t at 97.5 % with 2 degrees of freedom is 4.303."""
    service.upload(body_of(in_layouts(make_report(1), [0.9, 1.0, 1.1])))
    (point,) = service.request("GET", NOISE, "admin")["points"]
    half = 1 + point["width"]
    assert half > 1.01 and point["launches"] == LAUNCHES
    assert point["spread"] == pytest.approx(log(half) / 4.3027 * sqrt(LAUNCHES), rel=1e-4)


def test_launches_of_one_layout_are_one_for_what_can_be_detected() -> None:
    """Four launches of each layout: 6 launches are not two layouts, and 24 are six."""
    of_layouts = MeasuredRun(
        datetime(2026, 11, 20, tzinfo=UTC), "run", "nf", "sfc_a", [100.0] * 24, [100.0] * 6, 0.99, 1.01
    )
    found = {one.launches: one.change for one in resolution([of_layouts]).detectable}
    assert found[6] is None
    alone = {one.launches: one.change for one in resolution([of_layouts._replace(units=None)]).detectable}
    assert found[24] is not None and alone[24] is not None
    assert found[24] > 1.3 * alone[24]
