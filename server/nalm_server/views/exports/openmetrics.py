# SPDX-License-Identifier: Apache-2.0
"""The newest value of each series as OpenMetrics, with the time of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from nalm_core.report.catalogue import Metric as Described
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from nalm_server.views.exports.schemas import ExportRow

CONTENT_TYPE = CONTENT_TYPE_LATEST
LABELS = ("project", "scenario", "stage", "source", "host", "host_class")


class _Rows(Collector):
    def __init__(self, project: str, metrics: Mapping[str, Described], rows: Iterator[ExportRow]) -> None:
        self.project = project
        self.metrics = metrics
        self.rows = rows

    def describe(self) -> list[Metric]:
        """Empty: the names are only known after reading the rows."""
        return []

    def collect(self) -> Iterator[Metric]:
        for name, rows in groupby(self.rows, key=lambda row: row.metric):
            metric = self.metrics[name]
            text = f"{metric.title} in {metric.unit}. {metric.sentence}"
            family = GaugeMetricFamily(f"nalm_{name}", text, labels=LABELS)
            for row in rows:
                labels = (self.project, row.scenario, row.stage, row.source, row.host, row.host_class)
                family.add_metric(labels, row.value, timestamp=row.time.timestamp())
            yield family


def as_openmetrics(project: str, metrics: Mapping[str, Described], rows: Iterator[ExportRow]) -> bytes:
    """Rows ordered by metric."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Rows(project, metrics, rows))
    return bytes(generate_latest(registry))  # type: ignore[no-untyped-call]
