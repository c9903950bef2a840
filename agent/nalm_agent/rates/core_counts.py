# SPDX-License-Identifier: Apache-2.0
"""Full load on several numbers of lcores, for `nalm experiment cores`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.speedup import UNKNOWNS, Throughput
from nalm_core.rates.experiments.speedup_points import throughput
from nalm_core.rates.rate_report import RateReport, RateSettings, RateStatus
from nalm_core.rates.rate_result import judge_rates
from nalm_core.text.amounts import amount

from nalm_agent.config.experiments import CoresConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.rate import measure_rates
from nalm_agent.report.progress import PartProgress
from nalm_agent.runtime.errors import ConfigError, HostError


@dataclass(frozen=True)
class CoresMeasured:
    """Rates by lcores, and what was left out, with reasons."""

    chain: str
    rates: list[Throughput]
    left_out: Mapping[int, str]
    f_s: float | None
    """None: nalm.toml does not say how to measure it, or a note says why it could not be."""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CoresPlan:
    """Which numbers of lcores of a chain this host can measure."""

    chain: str
    table: CoresConfig
    config: Config
    counts: list[int]
    left_out: dict[int, str]


def plan_cores(place: Place, chain: str | None, lcores: Sequence[int] | None) -> CoresPlan:
    """Raises ConfigError for a chain or number that nalm.toml lacks, HostError if too few numbers remain."""
    config = place.config()
    tables = config.experiments.cores
    if not tables or (chain is not None and chain not in tables):
        raise ConfigError(
            f"{FILE_NAME} has no [experiments.cores.{chain or 'CHAIN'}]; there are: "
            f"{', '.join(tables) or 'none'}",
            hint="docs/experiments.md describes the table",
        )
    name = chain or next(iter(tables))
    table, cpus = tables[name], len(os.sched_getaffinity(0))
    counts, left_out = [], {}
    for count in sorted(lcores or table.lcores):
        scenario = table.lcores.get(count)
        if scenario is None:
            left_out[count] = f"{FILE_NAME} names no scenario for it"
        elif (needed := config.scenario(scenario).lcores) > cpus:
            left_out[count] = (
                f"{scenario} needs {amount(needed, 'lcore')}, nalm may use {amount(cpus, 'CPU')}"
            )
        elif needed <= count:
            left_out[count] = f"{scenario} has no lcore for the generator"
        else:
            counts.append(count)
    _require_enough(
        len(counts), left_out, "measure on a host with more CPUs, or name more numbers in nalm.toml"
    )
    return CoresPlan(name, table, config, counts, left_out)


def _require_enough(counts: int, left_out: Mapping[int, str], hint: str) -> None:
    """Raises HostError if so few numbers of lcores do not determine the curve."""
    if counts >= UNKNOWNS:
        return
    out = "\n".join(f"{count}: {why}" for count, why in left_out.items())
    raise HostError(
        f"{amount(counts, 'number')} of lcores can be measured; the curve has {UNKNOWNS} unknowns"
        + (f"; left out:\n{out}" if out else ""),
        hint=hint,
    )


def measure_cores(plan: CoresPlan, settings: RateSettings, place: Place) -> CoresMeasured:
    """Measures full load with each number of lcores, fewest first. Numbers that cannot be measured are left
    out. Raises HostError as soon as too few remain for the curve."""
    scenarios = [plan.table.lcores[count] for count in plan.counts]
    if plan.table.f_s is not None:
        scenarios += [plan.table.f_s.parallel, plan.table.f_s.plain]
    numbers = iter(range(1, len(scenarios) + 1))

    def report_of(scenario: str) -> RateReport:
        part = PartProgress(place.progress, scenario, next(numbers), len(scenarios))
        found = measure_rates(place.subject(scenario), settings, place.home, place.work, part)
        if found.status is not RateStatus.MEASURED:
            raise HostError(f"scenario {scenario} could not be measured: {_first_line(found.failure)}")
        return found

    rates, left_out = [], dict(plan.left_out)
    for done, count in enumerate(plan.counts, start=1):
        try:
            rates.append(throughput(report_of(plan.table.lcores[count]), count))
        except (HostError, ModelInputError) as error:
            left_out[count] = str(error)
        possible = len(rates) + len(plan.counts) - done
        _require_enough(possible, left_out, "`nalm rate --mode mrr --scenario NAME` shows one of them whole")
    overhead, notes = None, list[str]()
    if plan.table.f_s is not None:
        try:
            overhead = _cpp(report_of(plan.table.f_s.parallel)) / _cpp(report_of(plan.table.f_s.plain)) - 1
        except HostError as error:
            notes.append(f"f_s is not known: {error.message}")
    return CoresMeasured(plan.chain, rates, left_out, overhead, notes)


def _first_line(failure: str | None) -> str:
    return (failure or "no reason is known").partition("\n")[0]


def _cpp(report: RateReport) -> float:
    full = judge_rates(report).mrr
    if full is None or full.cpp is None:
        raise HostError(f"scenario {report.scenario.name} has no valid trial at full load")
    return full.cpp
