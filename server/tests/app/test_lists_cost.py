# SPDX-License-Identifier: Apache-2.0
"""Lists take the same number of queries, however long they are."""

from __future__ import annotations

from urllib.parse import parse_qsl

from nalm_server_harness import Service, counted
from nalm_server_reports import body_of, make_report, sha

PATHS = {
    "/projects": 4,
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


def number_of_queries(service: Service) -> dict[str, int]:
    found = {}
    for path in PATHS:
        with counted(service) as statements:
            read(service, path)
        found[path] = len(statements)
    return found


def test_number_of_queries(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    few = number_of_queries(service)
    for number in range(2, 6):
        service.upload(body_of(make_report(number)))
    for host in ("bench-2", "bench-3"):
        service.lease(204, host)
    service.post("/projects", "admin", 201, {"name": "second", "repository": "/srv/second.git"})
    many = number_of_queries(service)
    assert {path: (few[path], many[path]) for path in PATHS if few[path] != many[path]} == {}
    assert {path: many[path] for path, most in PATHS.items() if many[path] > most} == {}


MOST_OF_A_REPORT = 32


def test_number_of_statements_of_a_report(service: Service) -> None:
    """Other writers of the project wait for them."""
    for number in (1, 2):
        service.upload(body_of(make_report(number)))
    with counted(service, "") as statements:
        service.upload(body_of(make_report(3)))
    of_report = [one for one in statements if not one.startswith(("BEGIN", "PRAGMA"))]
    assert len(of_report) <= MOST_OF_A_REPORT, of_report
