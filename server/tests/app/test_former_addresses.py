# SPDX-License-Identifier: Apache-2.0
"""Renamed addresses still work under their former names."""

from __future__ import annotations

import pytest
from nalm_server.app.former_addresses import present_address
from nalm_server_harness import Service


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("/projects/demo/watching", "/projects/demo/branch-filters"),
        ("/projects/demo/quality", "/projects/demo/detection-quality"),
        ("/projects/demo/quality/trials", "/projects/demo/detection-quality/trials"),
        ("/projects/demo/bisects", "/projects/demo/bisections"),
    ],
)
def test_a_former_address_is_answered_like_the_present_one(
    service: Service, former: str, present: str
) -> None:
    assert service.request("GET", former, "admin") == service.request("GET", present, "admin")


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/projects/watching",
        "/api/v1/projects/quality/scenarios",
        "/api/v1/projects/bisects/commits",
        "/api/v1/projects/demo/qualityx",
        "/p/demo/quality",
    ],
)
def test_a_project_may_have_the_name_of_a_former_address(path: str) -> None:
    assert present_address(path) == path


def test_a_name_is_encoded_again(service: Service) -> None:
    found, same = (
        service.request("GET", f"/projects/a%20b/{name}", "admin", 422) for name in ("bisects", "bisections")
    )
    assert found["error"]["message"] == same["error"]["message"]
