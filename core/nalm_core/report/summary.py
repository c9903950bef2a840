# SPDX-License-Identifier: Apache-2.0
"""The figures of one arm of one run for the history: of the chain and of each stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from nalm_core.report.counters import RoundTotals, core_clock, pps, ratio
from nalm_core.report.event_counts import with_core_cycles
from nalm_core.report.first_level import first_level_figures
from nalm_core.report.history_figure import (
    HistoryFigure,
    exact,
    instructions_per,
    over_launches,
)
from nalm_core.report.instructions import ArmIpp, arm_ipp, common_source
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.rounds import kept_totals, unit_means, unmarked_shares
from nalm_core.report.run_report import Arm, ArmInfo, Model, Round, RunReport, Source
from nalm_core.report.units import Cycles

WITHOUT_MARKS = "/unmarked"
"""What is added to the source of a chain's figures from which the cost of the probe's marks is taken out."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Rounds of one arm with their totals and core cycles per TSC cycle, which every figure needs."""

    report: RunReport
    of: Sequence[tuple[Round, RoundTotals]]
    clocks: Sequence[float | None]
    """core_clock of each round."""


class RoundKey(Model):
    launch: int
    turn: int


class ArmSummary(Model):
    arm: Arm
    commit: str
    features: list[str]
    stage_names: list[str]
    """Own stages in pass order."""
    rounds: list[RoundKey]
    """Used rounds that handled packets."""
    chain: dict[str, HistoryFigure]
    """By metric name, without metrics that could not be measured."""
    stages: dict[str, dict[str, HistoryFigure]]
    """By stage, then by metric name."""


@dataclass(frozen=True)
class Summaries:
    """The summaries of a report's arms, each made once."""

    report: RunReport
    _made: dict[Arm, ArmSummary] = field(default_factory=dict)

    def of(self, arm: Arm) -> ArmSummary:
        """Raises KeyError if the report has no such arm."""
        if arm not in self._made:
            self._made[arm] = summarise(self.report, arm)
        return self._made[arm]


def summarise(report: RunReport, arm: Arm) -> ArmSummary:
    """Figures of one arm. Raises KeyError if the report has no such arm."""
    info = report.arms[arm]
    rounds = _sums(report, arm)
    ipp = arm_ipp(report.instructions, arm, info, common_source(report.instructions, (arm,)))
    own = [stage.name for stage in info.stages if not stage.apart]
    return ArmSummary(
        arm=arm,
        commit=info.build.commit,
        features=list(info.run.features),
        stage_names=own,
        rounds=[RoundKey(launch=one.launch, turn=one.turn) for one, _ in rounds.of],
        chain=_counted_core_figures(report, arm, None)
        | _chain_figures(_without_marks(arm, rounds), info, ipp, report.host.tsc_hz)
        | first_level_figures(report, arm, None)
        | _own_figures(report, arm),
        stages={
            name: _counted_core_figures(report, arm, name)
            | _stage_figures(rounds, info, ipp, name)
            | first_level_figures(report, arm, name)
            for name in own
        },
    )


def cpp_of_launches(report: RunReport, arm: Arm) -> dict[str | None, Sequence[float]]:
    """CPP of each launch by stage, and, for None, of the chain. Raises KeyError as `summarise`."""
    info, rounds = report.arms[arm], _sums(report, arm)
    found: dict[str | None, HistoryFigure | None] = {None: _chain_cpp(_without_marks(arm, rounds), info)}
    found.update({one.name: _stage_cpp(rounds, info, one.name) for one in info.stages if not one.apart})
    return {stage: one.launches for stage, one in found.items() if one is not None}


def _sums(report: RunReport, arm: Arm) -> Sums:
    own = [(one, sums) for one, sums in kept_totals(report, arm) if sums.cpp is not None]
    return Sums(report, own, [core_clock(one) for one, _ in own])


def _counted_core_figures(report: RunReport, arm: Arm, stage: str | None) -> dict[str, HistoryFigure]:
    """CPP and eIPC in core cycles that the PMU counted. They stand where the probe did not time the core,
    whose figures have every round."""
    info = report.arms[arm]
    counted = with_core_cycles(report.event_counts, arm, info.apart_stages(), stage)
    values = {
        "core_cpp": [one.cpp for one in counted],
        "core_eipc": [one.eipc for one in counted],
    }
    source = info.run.series_source(Source.PMU)
    found = {}
    for name, each in values.items():
        known = [one for one in each if one is not None]
        if known and len(known) == len(each):
            found[name] = over_launches(known, source)
    return found


def _own_figures(report: RunReport, arm: Arm) -> dict[str, HistoryFigure]:
    """Metrics beside those of packets and cycles, without missing ones."""
    own = [one for one in report.own_metrics if one.values.get(arm)]
    return {one.name: _own_figure(report, one, arm) for one in own}


def own_source(report: RunReport, arm: Arm, metric: OwnMetric) -> str:
    """The source of a series: figures of rates and soaks at different loads are never in one."""
    return metric.source if report.rates is None else report.arms[arm].run.series_source(metric.source)


def _own_figure(report: RunReport, metric: OwnMetric, arm: Arm) -> HistoryFigure:
    values, source = metric.values[arm], own_source(report, arm, metric)
    if metric.exact:
        return exact(values[0], source)
    units = values if metric.every == "build" else unit_means(report, dict(enumerate(values)))
    found = over_launches(values, source, units=units)
    grown = metric.growth.get(arm)
    return found if grown is None else found.model_copy(update={"low": grown.low, "high": grown.high})


@dataclass(frozen=True, slots=True)
class _Chain:
    """The chain's rounds, and how their cycles were measured."""

    rounds: Sums
    unmarked: Mapping[int, float]
    """Share of the cycles that is left without the probe's marks, by launch; empty: the rounds have them."""

    @property
    def suffix(self) -> str:
        """Chains without marks have series of their own."""
        return WITHOUT_MARKS if self.unmarked else ""


def _without_marks(arm: Arm, rounds: Sums) -> _Chain:
    """The cost of the marks is taken out of the chain's cycles, if it was measured."""
    report = rounds.report
    by_launch: dict[int, list[Round]] = defaultdict(list)
    for one, _ in rounds.of:
        by_launch[one.launch].append(one)
    shares = unmarked_shares(report, arm, by_launch) if report.bare_turns else {}
    if not shares:
        return _Chain(rounds, {})
    without = [
        (one, replace(sums, chain_cycles=Cycles(sums.chain_cycles * shares[one.launch])))
        for one, sums in rounds.of
    ]
    return _Chain(replace(rounds, of=without), shares)


def _chain_cpp(chain: _Chain, info: ArmInfo) -> HistoryFigure | None:
    return _figure(chain.rounds, lambda _, sums: sums.cpp, info.run.series_source(Source.TSC) + chain.suffix)


def _stage_cpp(rounds: Sums, info: ArmInfo, stage: str) -> HistoryFigure | None:
    return _figure(rounds, lambda _, sums: sums.stage_cpp(stage), info.run.series_source(Source.TSC))


def _chain_figures(chain: _Chain, info: ArmInfo, ipp: ArmIpp | None, tsc_hz: int) -> dict[str, HistoryFigure]:
    rounds, source = chain.rounds, info.run.series_source(Source.TSC) + chain.suffix
    cpp = _chain_cpp(chain, info)
    core_cpp = _in_core_cycles(rounds, lambda sums: sums.cpp, source)
    measured = {
        "cpp": cpp,
        "core_cpp": core_cpp,
        "core_clock": _figure_of(rounds, rounds.clocks, source),
        "pps": _figure(rounds, lambda one, sums: _pps(one, sums, tsc_hz, chain.unmarked), source),
        "cur": _figure(rounds, lambda _, sums: sums.cur, source),
        **_poll_figures(rounds, info, source),
        **_instruction_figures(cpp, core_cpp, None if ipp is None else ipp.chain, ipp, info),
    }
    return {name: value for name, value in measured.items() if value is not None}


def _pps(one: Round, sums: RoundTotals, tsc_hz: int, unmarked: Mapping[int, float]) -> float | None:
    found = pps(one, sums.packets, tsc_hz)
    return None if found is None else found / unmarked.get(one.launch, 1.0)


def _poll_figures(rounds: Sums, info: ArmInfo, source: str) -> dict[str, HistoryFigure | None]:
    """Figures of polls that found packets, at a partial load: at full load all batches are full."""
    if info.run.load is None:
        return {}

    def cycles(_: Round, sums: RoundTotals) -> float | None:
        return ratio(sums.chain_cycles, sums.polls or 0)

    def packets(_: Round, sums: RoundTotals) -> float | None:
        return ratio(sums.taken_in, sums.polls or 0)

    return {
        "cycles_per_poll": _figure(rounds, cycles, source),
        "batch_size": _figure(rounds, packets, source),
    }


def _stage_figures(rounds: Sums, info: ArmInfo, ipp: ArmIpp | None, stage: str) -> dict[str, HistoryFigure]:
    def per_visit(_: Round, sums: RoundTotals) -> float | None:
        return ratio(sums.stage_cycles.get(stage, 0.0), sums.stage_packets.get(stage, 0))

    def visits(_: Round, sums: RoundTotals) -> float | None:
        return ratio(sums.stage_packets.get(stage, 0), sums.packets)

    source = info.run.series_source(Source.TSC)
    cpp = _stage_cpp(rounds, info, stage)
    core_cpp = _in_core_cycles(rounds, lambda sums: sums.stage_cpp(stage), source)
    instructions = None if ipp is None else ipp.stages.get(stage)
    measured = {
        "cpp": cpp,
        "core_cpp": core_cpp,
        "cycles_per_visit": _figure(rounds, per_visit, source),
        "visit_rate": _figure(rounds, visits, source),
        **_instruction_figures(cpp, core_cpp, instructions, ipp, info),
    }
    return {name: value for name, value in measured.items() if value is not None}


def _in_core_cycles(
    rounds: Sums, cpp: Callable[[RoundTotals], float | None], source: str
) -> HistoryFigure | None:
    each = zip(rounds.of, rounds.clocks, strict=True)
    return _figure_of(
        rounds,
        [None if clock is None or (own := cpp(sums)) is None else own * clock for (_, sums), clock in each],
        source,
    )


def _instruction_figures(
    cpp: HistoryFigure | None,
    core_cpp: HistoryFigure | None,
    value: float | None,
    ipp: ArmIpp | None,
    info: ArmInfo,
) -> dict[str, HistoryFigure]:
    """IPP, which is exact, and eIPC per TSC cycle and per core cycle, whose scatter is that of the cycles."""
    if value is None or ipp is None:
        return {}
    source = info.run.series_source(ipp.source)
    figures = {"ipp": exact(value, source)}
    for name, cycles in (("eipc", cpp), ("core_eipc", core_cpp)):
        mixed = info.run.series_source(f"{Source.TSC}+{ipp.source}")
        eipc = None if cycles is None else instructions_per(cycles, value, mixed)
        if eipc is not None:
            figures[name] = eipc
    return figures


def _figure(
    rounds: Sums, of: Callable[[Round, RoundTotals], float | None], source: str
) -> HistoryFigure | None:
    return _figure_of(rounds, [of(one, sums) for one, sums in rounds.of], source)


def _figure_of(rounds: Sums, samples: Sequence[float | None], source: str) -> HistoryFigure | None:
    """The figure; None unless every round has a value, because samples must match the rounds."""
    values = [sample for sample in samples if sample is not None]
    if not values or len(values) < len(samples):
        return None
    by_launch: dict[int, list[float]] = defaultdict(list)
    for (one, _), value in zip(rounds.of, values, strict=True):
        by_launch[one.launch].append(value)
    launches = {launch: median(each) for launch, each in by_launch.items()}
    units = unit_means(rounds.report, launches)
    return over_launches([*launches.values()], source, units=units, samples=values)
