# SPDX-License-Identifier: Apache-2.0
"""Prints nalm.toml's metrics, and the margins in force with the line that gives each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from nalm_core.rates.defaults import KNEE_MARGIN
from nalm_core.rates.run_figures import KNEE, RATE_METRICS
from nalm_core.rates.soak_figures import SOAK_METRICS
from nalm_core.report.catalogue import GROWTH, METRICS, NEVER_JUDGED, SHIPPED
from nalm_core.report.defaults import MARGIN, SHIPPED_MARGIN
from nalm_core.report.run_report import OWN_PROBE
from nalm_core.text.percents import margin_percent
from rich.table import Table

from nalm_agent.config.lines import line_of
from nalm_agent.config.metrics import MetricConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.config.thresholds import OF_PACKETS, Effective, as_rule, threshold_lines
from nalm_agent.report.output_file import STDOUT, write_json
from nalm_agent.report.print_run import console

Row = dict[str, object]
OF_RATES = {name: of.margin for name, of in RATE_METRICS.items()} | {KNEE: KNEE_MARGIN}
OF_SOAKS = {name: of.limit for name, of in SOAK_METRICS.items()}
OF_HISTORY = ("build_seconds",)
"""Metrics with one value of each build, which varies: their histories are judged, not comparisons."""
NO_BRANCH = "no branch: HEAD is detached; name one with --branch"


def print_metrics(config: Config, text: str, json_file: str | None) -> None:
    """Metrics beside those of packets and cycles: of nalm.toml with their line, and shipped ones."""
    rows = [*_defined(config.metrics, text), *_shipped()]
    write_json(json_file, json.dumps({"scenarios": list(config.scenarios), "metrics": rows}))
    if json_file == STDOUT:
        return
    out = console()
    out.print(f"{FILE_NAME}: no mistakes; scenarios: {', '.join(config.scenarios)}", highlight=False)
    _print(rows, ("metric", "unit", "better", "every", "source", "from"))


def _defined(metrics: Mapping[str, MetricConfig], text: str) -> Iterator[Row]:
    for name, one in metrics.items():
        yield {
            "metric": name,
            "unit": one.unit,
            "better": one.better,
            "every": one.every,
            "source": one.source,
            "from": f"{FILE_NAME}:{line_of(text, ['metrics', name])}",
        }


def _shipped() -> Iterator[Row]:
    for name in SHIPPED:
        about = METRICS[name]
        yield {
            "metric": name,
            "unit": about.unit,
            "better": about.better,
            "every": "build" if about.sources == ("build",) else "launch",
            "source": " or ".join(about.sources),
            "from": "nalm",
        }


def print_margins(
    config: Config, text: str, scenarios: Sequence[str], branch: str | None, json_file: str | None
) -> None:
    """The margins in force for scenarios of a commit of this branch, each with the line that gives it."""
    lines = threshold_lines(text, len(config.thresholds))
    in_force = [(name, one) for name in scenarios for one in _in_force(config, name, branch)]
    rows: list[Row] = [
        {
            "scenario": name,
            "metric": one.metric,
            "stage": one.stage,
            "margin": one.margin,
            "judged": _is_judged(one),
            "from": _origin(one, config, text, lines),
        }
        for name, one in in_force
    ]
    write_json(json_file, json.dumps({"branch": branch, "margins": rows}))
    if json_file == STDOUT:
        return
    out = console()
    known = (
        f"branch {branch}" if branch is not None else "no branch: HEAD is detached; name one with --branch"
    )
    out.print(known, highlight=False)
    shown = [
        row
        | {
            "stage": row["stage"] or ("chain" if row["metric"] in OF_PACKETS else ""),
            "margin": _margin(one),
            "judged": _judged(one),
        }
        for row, (_, one) in zip(rows, in_force, strict=True)
    ]
    _print(shown, ("scenario", "metric", "stage", "margin", "judged", "from"))


def _in_force(config: Config, scenario: str, branch: str | None) -> list[Effective]:
    """All margins of the scenario, with those of its rates and soaks if its NF can be measured under load."""
    found = config.margins(scenario, branch)
    if config.run.counts != OWN_PROBE:
        return found
    ruled = {one.metric: one for one in found}
    under_load = OF_RATES | OF_SOAKS
    return [one for one in found if one.metric not in under_load] + [
        ruled.get(metric) or Effective(metric, None, margin, None) for metric, margin in under_load.items()
    ]


def _is_judged(one: Effective) -> bool:
    return one.judged and one.metric not in NEVER_JUDGED


def _judged(one: Effective) -> str:
    if not _is_judged(one):
        return "shown only"
    return "in its history" if one.metric in OF_HISTORY else "yes"


def _margin(one: Effective) -> str:
    unit = GROWTH.get(one.metric)
    return margin_percent(one.margin) if unit is None else f"{one.margin:,g} {unit}"


def _origin(one: Effective, config: Config, text: str, lines: Sequence[int]) -> str:
    if one.rule is not None:
        return f"{FILE_NAME}:{lines[one.rule]} ({as_rule(config.thresholds[one.rule])})"
    if one.metric in OF_RATES:
        return f"default of {one.metric} in rates, {_margin(one)}"
    if one.metric in OF_SOAKS:
        return f"default of {one.metric} in soaks, {_margin(one)}"
    if one.metric in SHIPPED:
        return f"default of shipped metrics, {margin_percent(SHIPPED_MARGIN)}"
    if "margin" in config.judge.model_fields_set:
        return f"{FILE_NAME}:{line_of(text, ['judge', 'margin'])} (judge.margin)"
    return f"default of judge.margin, {margin_percent(MARGIN)}"


def _print(rows: Sequence[Row], columns: Sequence[str]) -> None:
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    out.print(table)
