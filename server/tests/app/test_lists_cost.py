# SPDX-License-Identifier: Apache-2.0
"""Lists take the same number of queries, however long they are."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from nalm_server_harness import Service, counted
from nalm_server_reports import body_of, make_report, sha

PATHS = {
    "/projects": 3,
    "/projects/demo/commits": 4,
    f"/projects/demo/commits/{sha(1)}": 5,
    "/projects/demo/commits/search": 7,
    "/projects/demo/scenarios": 3,
    "/projects/demo/weeks": 6,
    "/projects/demo/weeks/2026-W47": 4,
    "/projects/demo/detection-quality": 8,
    "/projects/demo/features": 11,
    "/projects/demo/features/nat/history": 9,
    "/projects/demo/ncpp": 6,
    "/projects/demo/alerts": 4,
    "/projects/demo/alerts/facets": 6,
    "/projects/demo/scenarios/sfc_a/history": 16,
    "/projects/demo/lines?scenario=sfc_a": 16,
    "/projects/demo/lines/columns?scenario=sfc_a&metric=cpp": 23,
    "/jobs": 2,
    "/overview": 10,
    "/hosts": 3,
}

PRIVATE = ("/hosts",)


def read(service: Service, path: str) -> None:
    address, _, requested = path.partition("?")
    token = "admin" if address in PRIVATE else None
    service.request("GET", address, token, params=dict(parse_qsl(requested)))


@pytest.mark.parametrize("path", PATHS)
def test_number_of_queries(service: Service, path: str) -> None:
    service.upload(body_of(make_report(1)))
    with counted(service) as few:
        read(service, path)
    for number in range(2, 6):
        service.upload(body_of(make_report(number)))
    for host in ("bench-2", "bench-3"):
        service.lease(204, host)
    service.post("/projects", "admin", 201, {"name": "second", "repository": "/srv/second.git"})
    with counted(service) as many:
        read(service, path)
    print("COUNT", len(few), len(many))
    assert len(many) == len(few) <= PATHS[path], many


MOST_OF_A_REPORT = 31


def test_number_of_statements_of_a_report(service: Service) -> None:
    """Other writers of the project wait for them."""
    for number in (1, 2):
        service.upload(body_of(make_report(number)))
    with counted(service, "") as statements:
        service.upload(body_of(make_report(3)))
    of_report = [one for one in statements if not one.startswith(("BEGIN", "PRAGMA"))]
    print("COUNT", len(of_report))
    assert len(of_report) <= MOST_OF_A_REPORT, of_report
