# SPDX-License-Identifier: Apache-2.0
"""docs/statistics.md and docs/metrics.md say what the code does."""

import re
from pathlib import Path

from nalm_core.changepoints.constants import DOCUMENTED as OF_HISTORIES
from nalm_core.experiments.constants import DOCUMENTED as OF_EXPERIMENTS
from nalm_core.explain.limits import DOCUMENTED as OF_CAUSES
from nalm_core.explain.model import DETAILS
from nalm_core.findings.confirmation import DOCUMENTED as OF_CONFIRMATIONS
from nalm_core.findings.noise_floor import DOCUMENTED as OF_FEEDBACK
from nalm_core.findings.severity import DOCUMENTED as OF_WORTH
from nalm_core.history.constants import DOCUMENTED as OF_LINKS
from nalm_core.pooling.constants import DOCUMENTED as OF_POOLS
from nalm_core.report.catalogue import METRICS
from nalm_core.report.defaults import DEFAULT_SETTINGS, DOCUMENTED
from nalm_core.stats.growth_level import DOCUMENTED as OF_GROWTH
from nalm_core.stats.sequential import look_schedule
from nalm_core.verdict.checks import run_checks
from nalm_synthetic import TSC_HZ, changed, make_report

DOCS = Path(__file__).parents[2] / "docs"
CONSTANT = re.compile(r"\| `([A-Z0-9_]+)` \| ([0-9.]+) \|")
METRIC = re.compile(r"^\| `([a-z0-9_]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def test_every_constant_is_documented_with_its_value() -> None:
    text = (DOCS / "statistics.md").read_text()
    documented = {name: float(value) for name, value in CONSTANT.findall(text)}
    parts = (
        DOCUMENTED,
        OF_HISTORIES,
        OF_LINKS,
        OF_EXPERIMENTS,
        OF_CONFIRMATIONS,
        OF_FEEDBACK,
        OF_WORTH,
        OF_POOLS,
        OF_GROWTH,
    )
    assert documented == {name: value for part in parts for name, value in part.items()}


def test_every_limit_of_an_explanation_and_every_detail_is_documented() -> None:
    text = (DOCS / "causes.md").read_text()
    assert {name: float(value) for name, value in CONSTANT.findall(text)} == dict(OF_CAUSES)
    assert not [detail for detail in DETAILS if f"`{detail}`" not in text]


def test_the_looks_and_checks_are_those_of_the_code() -> None:
    text = (DOCS / "statistics.md").read_text()
    *looks, last = look_schedule(DEFAULT_SETTINGS)
    assert f"{', '.join(map(str, looks))} and {last} launches by default" in text
    report = make_report(changed(), launches=2)
    for check in run_checks(report.arms, report.rounds, report.instructions, TSC_HZ):
        assert f"| `{check.name}` |" in text


def test_the_metrics_are_those_of_the_catalogue() -> None:
    text = (DOCS / "metrics.md").read_text()
    documented = {name: (unit, better) for name, unit, _, better in METRIC.findall(text)}
    assert documented == {name: (metric.unit, metric.better) for name, metric in METRICS.items()}
