# SPDX-License-Identifier: Apache-2.0
"""Metrics of this process: answered requests, time, database connections, memory, CPU time."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine, QueuePool

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Requests:
    """Counts answers by route; all unknown paths share one name, so that clients cannot add names."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._answers = Counter(
            "nalm_http_requests",
            "Requests answered by this process.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "nalm_http_request_seconds",
            "Time until the answer began.",
            ("route",),
            buckets=BUCKETS,
            registry=registry,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._answers.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class Pool(Collector):
    """Connections to PostgreSQL; SQLite has no pool to watch."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        pool = self._engine.pool
        if isinstance(pool, QueuePool):
            family = GaugeMetricFamily(
                "nalm_database_connections", "Database connections of this process.", labels=["state"]
            )
            family.add_metric(["in_use"], pool.checkedout())
            family.add_metric(["idle"], pool.checkedin())
            yield family


def make_registry(engine: Engine) -> CollectorRegistry:
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(Pool(engine))
    return registry
