# SPDX-License-Identifier: Apache-2.0
"""The service with a history of two scenarios, two branches and a release, or with one of rates, served from
a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nalm_core.report.serialization import dump_report
from nalm_server.changepoints import tasks
from nalm_server.git.commits.order import record
from nalm_server.git.refs import repository as refs
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_measured import Measured, store
from nalm_server_rates import rates, soak, swept, unmeasured
from nalm_server_reports import sha
from thread_service import new_service, served

COMMITS = 60
SLOWER, FORK, RELEASE = 40, 50, 20
"""Commits: nat is slower from here on; the branch leaves; the release."""
BRANCHED = 900
RATED, TAIL, UNMEASURED, SOAK = 12, 8, 4, 100
"""Commits with rates: the last; p99 is slower; no NDR was found. Number of the soak of the last."""
SWEPT = 101
"""Number of the run of the last that sweeps, of another scenario."""


@contextmanager
def history_service(home: Path) -> Iterator[tuple[Service, str]]:
    """The service and its address: the project `demo` is full, `empty` has nothing."""
    with new_service(home) as service:
        service.post("/projects", "admin", 201, {"name": "empty", "repository": "/srv/empty.git"})
        fill(service)
        with served(service) as address:
            yield service, address


@contextmanager
def rate_service(home: Path) -> Iterator[tuple[Service, str]]:
    """The service and its address."""
    with new_service(home) as service, pytest.MonkeyPatch.context() as patch:
        use_line(patch, RATED + 1)
        for number in range(1, RATED + 1):
            pair = sha(number - 1), sha(number)
            if number == UNMEASURED:
                report = unmeasured(number, *pair)
            else:
                report = rates(number, *pair, slower=3000.0 if number == TAIL else 0.0)
            service.upload(dump_report(report))
        service.upload(dump_report(soak(SOAK, sha(RATED - 1), sha(RATED), leak=4.0)))
        service.upload(dump_report(swept(SWEPT, sha(RATED - 1), sha(RATED), name="sfc_b:rate")))
        with served(service) as address:
            yield service, address


def fill(service: Service) -> None:
    numbers = range(1, COMMITS + 1)
    store(service, [Measured(n, {"nat": nat(n)}, functions=counted(n)) for n in numbers])
    store(service, [Measured(n, {"nat": 2 * nat(n)}, scenario="sfc_b") for n in numbers if n % 2])
    with service.context.sessions() as session:
        record(session, 1, sha(BRANCHED), sha(FORK))
        session.commit()
    store(service, [Measured(BRANCHED, {"nat": 120.0})])
    with service.context.sessions() as session:
        now = service.clock()
        refs.place_tag(session, 1, "v1.0", sha(RELEASE), now)
        refs.place_branch(session, 1, "main", sha(COMMITS), now)
        refs.place_branch(session, 1, "faster", sha(BRANCHED), now)
        session.commit()
    tasks.drain(service.context)


def counted(number: int) -> dict[str, float]:
    """nat's functions; one of them was added when nat became slower, and one has a C++ name."""
    found = {"flow_find": 210.0 + number % 3, "std::map<int, int>::find": 90.0, "checksum": 20.0}
    return found | {"flow_hash": 80.0} if number >= SLOWER else found


def nat(number: int) -> float:
    wave = 1 + 0.002 * ((number * 7) % 5 - 2)
    return (180.0 if number >= SLOWER else 150.0) * wave
