# SPDX-License-Identifier: Apache-2.0
"""Splits of lcores between roles at full load, beside what one run predicts, for `nalm experiment roles`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.experiments.role_splits import Split, SplitsAnswer, splits_answer, work_of_report
from nalm_core.rates.experiments.speedup_points import throughput
from nalm_core.rates.rate_report import RateReport, RateSettings, RateStatus
from nalm_core.text.amounts import amount

from nalm_agent.config.experiments import RolesConfig, RoleSplit
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.rate import measure_rates
from nalm_agent.report.progress import PartProgress
from nalm_agent.runtime.errors import ConfigError, HostError


@dataclass(frozen=True)
class RolesPlan:
    """The run that predicts, and the splits with why one is not measured."""

    table: RolesConfig
    splits: list[Split]


def plan_roles(place: Place, name: str | None) -> RolesPlan:
    """Raises ConfigError for a table that nalm.toml lacks."""
    config = place.config()
    tables = config.experiments.roles
    if not tables or (name is not None and name not in tables):
        raise ConfigError(
            f"{FILE_NAME} has no [experiments.roles.{name or 'NAME'}]; there are: "
            f"{', '.join(tables) or 'none'}",
            hint="docs/experiments.md describes the table",
        )
    table, cpus = tables[name or next(iter(tables))], len(os.sched_getaffinity(0))
    splits = [
        Split(
            one.scenario,
            one.dispatch,
            one.workers,
            one.databases,
            left_out=_cannot_measure(config, one, cpus),
        )
        for one in table.splits
    ]
    return RolesPlan(table, splits)


def _cannot_measure(config: Config, split: RoleSplit, cpus: int) -> str | None:
    needed = config.scenario(split.scenario).lcores
    if needed > cpus:
        return f"{split.scenario} needs {amount(needed, 'lcore')}, nalm may use {amount(cpus, 'CPU')}"
    if needed <= split.dispatch + split.workers + split.databases:
        return f"{split.scenario} has no lcore for the generator"
    return None


def measure_roles(
    plan: RolesPlan, settings: RateSettings, place: Place, lcores: Sequence[int] = ()
) -> SplitsAnswer:
    """Measures the run that predicts, then each split that this host has the lcores for.

    lcores: numbers to plan for. Raises HostError if the run could not be measured, ModelInputError if its
    stages do not give the work of the roles.
    """
    numbers = iter(range(1, len(plan.splits) + 2))

    def report_of(scenario: str) -> RateReport:
        part = PartProgress(place.progress, scenario, next(numbers), len(plan.splits) + 1)
        return measure_rates(place.subject(scenario), settings, place.home, place.work, part)

    report = report_of(plan.table.run)
    if report.status is not RateStatus.MEASURED:
        raise HostError(f"scenario {plan.table.run} could not be measured", log=report.failure)
    work = work_of_report(report, plan.table.stages)
    splits = [_measured(one, report_of) for one in plan.splits]
    return splits_answer(plan.table.run, work, float(report.host.tsc_hz), splits, lcores)


def _measured(split: Split, report_of: Callable[[str], RateReport]) -> Split:
    """The split with its rates, or why it has none."""
    if split.left_out is not None:
        return split
    try:
        total = split.dispatch + split.workers + split.databases
        return replace(split, rates=throughput(report_of(split.scenario), total).rates)
    except (HostError, ModelInputError) as error:
        return replace(split, left_out=str(error))
