# SPDX-License-Identifier: Apache-2.0
"""The smallest change that a host can detect, according to its own runs."""

from __future__ import annotations

from math import log, sqrt

import pytest
from nalm_server.results.noise import spread
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
