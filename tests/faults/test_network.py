# SPDX-License-Identifier: Apache-2.0
"""The connections from agent to API, to Redis and to PostgreSQL: cut, silent and slow during 200 queued
commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from commits import COMMITS, amid, queue, require_each_once, wait
from farm import Farm
from network import Network
from processes import Postgres, free_port

LINKS = ("server", "redis", "postgres")


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    made = Network(tmp_path)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def linked(tmp_path: Path, network: Network) -> Iterator[Farm]:
    """A farm whose parts connect through the proxy."""
    ports = {name: free_port() for name in LINKS}
    postgres = Postgres(tmp_path)
    made = Farm(tmp_path, postgres, ports)
    upstream = {**made.ports, "postgres": postgres.port}
    for name in LINKS:
        network.lead(name, ports[name], upstream[name])
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.mark.timeout(1800)
def test_every_commit_has_one_result_whatever_the_network_did(
    linked: Farm, network: Network, commits: tuple[Path, list[str]]
) -> None:
    """A cut lasts until the lease is lost; slow and silent connections last as long."""
    queue(linked, commits)
    linked.work()
    troubles = [(what, name) for name in LINKS for what in (network.cut, network.silent)]
    for count, (trouble, name) in enumerate(troubles, start=1):
        amid(linked, count * COMMITS // (len(troubles) + 3))
        trouble(name)
        lasts(linked)
        network.mend()
    network.slow("server", 50)
    network.slow("postgres", 5)
    require_each_once(linked, commits)


def lasts(farm: Farm) -> None:
    """Waits for the duration of a lease, by PostgreSQL's clock, read without the proxy."""
    begun = farm.now()
    wait(lambda: farm.now() > begun + farm.lease_seconds, lambda: "time to pass")
