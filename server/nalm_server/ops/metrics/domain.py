# SPDX-License-Identifier: Apache-2.0
"""Metrics from the database: equal in all processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.orm import Session

from nalm_server.db.context import Context
from nalm_server.ops.metrics import repository
from nalm_server.ops.metrics.repository import Counts
from nalm_server.ops.report_store import repository as reports

KEPT_SECONDS = 5.0
"""How long results are reused, however often they are scraped."""
ONLINE = timedelta(minutes=2)


class Domain(Collector):
    """Queries the database at a scrape, unless a recent result exists."""

    def __init__(self, context: Context, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._context = context
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._kept: list[Metric] = []
        self._counted_at: float | None = None

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            now = self._monotonic()
            if self._counted_at is None or now - self._counted_at >= KEPT_SECONDS:
                with self._context.read_sessions() as session:
                    self._kept = list(_count(session, self._context))
                self._counted_at = now
            yield from self._kept

    def describe(self) -> list[Metric]:
        """Empty, so that registering the collector runs no query."""
        return []


def _count(session: Session, context: Context) -> Iterator[Metric]:
    now = context.clock()
    yield _counts("nalm_jobs", "Jobs.", ("reason", "state"), repository.jobs(session))
    yield _figure(
        "nalm_queue_age_seconds",
        "Time since the oldest job that may start was queued.",
        _seconds_since(repository.oldest_queued(session), now),
    )
    yield _figure(
        "nalm_jobs_repeated_attempts",
        "Repeated leases of jobs, after a lost lease or a retry.",
        repository.repeated_attempts(session),
    )
    yield _counts(
        "nalm_deliveries", "Webhook deliveries kept.", ("forge", "status"), repository.deliveries(session)
    )
    yield _counts("nalm_runs", "Runs, by the verdict on them.", ("outcome",), repository.verdicts(session))
    store = reports.total(session)
    yield _figure("nalm_report_store_reports", "Reports in the report store.", store.reports)
    yield _figure("nalm_report_store_bytes", "Their size, compressed.", store.bytes)
    yield _counts(
        "nalm_quality_trials",
        "Trials, whose truth is known, by truth and outcome.",
        ("kind", "outcome"),
        repository.trials(session),
    )
    yield _counts(
        "nalm_notifications",
        "Notifications by state.",
        ("integration", "state"),
        repository.notifications(session),
    )
    yield _figure(
        "nalm_notifications_due_seconds",
        "Time since the oldest notification was due; grows when no worker runs.",
        _seconds_since(repository.longest_due(session, now), now),
    )
    yield _figure(
        "nalm_hosts_online",
        "Bench hosts that requested work in the last two minutes.",
        repository.hosts_online(session, now, ONLINE),
    )


def _seconds_since(moment: datetime | None, now: datetime) -> float:
    return (now - moment).total_seconds() if moment else 0.0


def _figure(name: str, text: str, value: float) -> Metric:
    family = GaugeMetricFamily(name, text)
    family.add_metric([], value)
    return family


def _counts(name: str, text: str, labels: tuple[str, ...], counts: Counts) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for values, number in sorted(counts.items()):
        family.add_metric(list(values), number)
    return family
