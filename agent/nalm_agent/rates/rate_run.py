# SPDX-License-Identifier: Apache-2.0
"""Runs under load: rates, latency and loss of two builds, or a soak of both, as a run report.

Both arms live side by side on the same CPUs and take turns of one trial (side_by_side.py); a search takes
several. The report has every trial, and the figures of nalm_core.rates.run_figures or soak_figures as
metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from math import ceil
from random import Random

from nalm_core.rates.defaults import (
    COMPARE_ALPHA,
    RATE_RUN_MRR_TRIALS,
    SOAK_RUN_INTERVALS,
    SOAK_RUN_LAUNCHES,
)
from nalm_core.rates.generators import INSIDE
from nalm_core.rates.presets import Mode
from nalm_core.rates.rate_report import RateSettings
from nalm_core.rates.rate_result import cpu_pps, rate_checks
from nalm_core.rates.run_figures import rate_metrics
from nalm_core.rates.soak import soak_seconds
from nalm_core.rates.soak_figures import soak_metrics
from nalm_core.rates.trials import forwarded_pps, sent_pps
from nalm_core.report.offered_load import NO_SHAPE, LoadShape
from nalm_core.report.run_report import Arm, ArmInfo, Check, RunReport, RunStatus
from nalm_core.report.trials.kinds import RunKind, history_name
from nalm_core.report.trials.rate_run import (
    ArmInterval,
    ArmSearch,
    CommonLoad,
    PairedTrial,
    RateMode,
    RateRun,
    SoakInterval,
)
from nalm_core.report.trials.trial import LoadEvents, Phase, Search, Trial
from nalm_core.text.percents import share_percent

from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.build.build import Built, build
from nalm_agent.build.equal_code import not_compared, same_untried, unnamed_differing, unnamed_note
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.config.nalm_toml import MOST_SOAK_HOURS, Config, RatesConfig
from nalm_agent.config.thresholds import given_margins
from nalm_agent.generators.outside import OutsideGenerator
from nalm_agent.host import tsc
from nalm_agent.host.cores import choose
from nalm_agent.measure.arms import base_as_committed
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.report_builder import Subject as RunSubject
from nalm_agent.measure.request import Request, read_config, times_as_long
from nalm_agent.nf.run_plan import traffic_file, traffic_identity
from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.generator_needs import Need, require_able
from nalm_agent.rates.load_events import count_events, counted_launches, not_counted
from nalm_agent.rates.loaded_revision import Subject, planned, ready_side_by_side, shape_of
from nalm_agent.rates.rate import search_loads
from nalm_agent.rates.side_by_side import ORDER, ArmError, alive, blame, groups, order
from nalm_agent.rates.time_left import TimeLeft
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import ConfigError, HostError, NfError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address
from nalm_agent.trials.search import Goal, Loads, search
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

LOADS = "loads"
"""Loads that were found on base, in the store."""
SEARCH = RateSettings(mode=Mode.ALL, trial_s=0.25, width=0.02, trials_per_load=3, search_s=60)
"""Of an arm in a launch. A trial is no longer than those of [rates]."""
LOAD_LAUNCHES = 3
"""Searches with base that choose the load; their median counts."""
BEGIN = 0.15
"""Share of the progress bar before the first launch."""
WARM_UP_SHARE = 0.25
"""Length of a trial that warms up, of that of the others."""


@dataclass(frozen=True)
class _Settings:
    """How a run under load is measured, by head's nalm.toml."""

    rates: RatesConfig
    shape: LoadShape
    """Of every open loop, as the scenario's load has it."""
    times_as_long: float
    """As by nalm.toml: 1, or more for another measurement of what was undecided."""
    generator: GeneratorConfig | None
    """None: the generator inside the NF."""

    @property
    def has_open_loop(self) -> bool:
        return "latency" in self.rates.modes or self.rates.sweep != []

    @property
    def search(self) -> RateSettings:
        trial_s = self.shape.whole_s(min(SEARCH.trial_s, self.rates.trial_s))
        return SEARCH.model_copy(update={"trial_s": trial_s})

    @property
    def trial_s(self) -> float:
        """Of an open loop."""
        return self.shape.whole_s(self.rates.trial_s)

    @property
    def leave_out_s(self) -> float:
        return self.shape.whole_s(self.rates.leave_out_s)

    @property
    def launches(self) -> int:
        return min(ceil(self.rates.launches * self.times_as_long), self.rates.most_launches)

    @property
    def soak_seconds(self) -> float:
        return 3600 * min(self.rates.soak_hours * self.times_as_long, MOST_SOAK_HOURS)

    @property
    def soak_interval_s(self) -> float:
        return self.shape.whole_s(max(self.rates.soak_interval_s, self.soak_seconds / SOAK_RUN_INTERVALS))


@dataclass
class _Found:
    """What was measured so far."""

    load: CommonLoad | None
    """None: nothing is measured in an open loop."""
    base_ndr: Search | None = None
    arms: dict[Arm, ArmInfo] = field(default_factory=dict)
    trials: list[PairedTrial] = field(default_factory=list)
    searches: list[ArmSearch] = field(default_factory=list)
    load_events: dict[Arm, list[LoadEvents]] = field(default_factory=dict)
    intervals: list[ArmInterval] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    """In addition to those of the trials."""


def measure_under_load(
    request: Request, kind: RunKind, home: Home, work: WorkDir, progress: Progress
) -> RunReport:
    """Measures rates or a soak of head against base in the request's scenario, and returns the run report.

    Raises ConfigError for a mistake in head's nalm.toml, HostError if this host cannot measure. A failed
    build or NF raises nothing: the report is `broken` if head is at fault, `failed` if base is.
    """
    progress.step("checkout", request.head.short, 0.0)
    if reason := tsc.available():
        raise HostError(reason, hint="measure on a host whose TSC is constant")
    config = read_config(request.repository, request.head)
    if config.run.counts != "probe":
        raise ConfigError(
            "rates need an NF with its own probe, whose traffic nalm paces; this NF has "
            f'counts = "{config.run.counts}"',
            hint="`nalm check` measures it at full load; for rates include nalm_traffic.h (docs/rates.md)",
        )
    subject = RunSubject(request.scenario, config.scenario(request.scenario))
    builder = ReportBuilder(request, config, subject)
    outside = config.generator_named(config.rates.generator)
    shape = shape_of(config, request.scenario, outside=outside is not None)
    settings = _Settings(config.rates, shape, times_as_long(config, request.budget_seconds), outside)
    try:
        report = _measured(builder, config, kind, settings, home=home, work=work, progress=progress)
    except ArmError as failure:
        report = builder.at_fault(failure.arm, failure.error)
    scenario = report.scenario.model_copy(
        update={"name": history_name(request.scenario, kind), "load": "open"}
    )
    budget_seconds = settings.times_as_long * config.judge.budget_seconds
    own = report.settings.model_copy(update={"alpha": COMPARE_ALPHA, "budget_seconds": budget_seconds})
    return report.model_copy(update={"scenario": scenario, "settings": own})


def _measured(
    builder: ReportBuilder,
    config: Config,
    kind: RunKind,
    settings: _Settings,
    *,
    home: Home,
    work: WorkDir,
    progress: Progress,
) -> RunReport:
    """The report, under the scenario's own name. Raises ArmError."""
    if settings.shape != NO_SHAPE:
        builder.notes.append(f"both are offered the shape of the scenario's load: {settings.shape.described}")
    with LimitedReading() as reading:
        built = _built(builder, config, kind, settings, home=home, progress=progress, reading=reading)
    (base, of_base), (head, of_head) = built
    builder.arms = {
        Arm.BASE: ArmInfo(build=of_base.build, run=base.definition),
        Arm.HEAD: ArmInfo(build=of_head.build, run=head.definition),
    }
    same = same_untried(of_base, of_head) and base.definition == head.definition
    builder.notes += not_compared(of_base, of_head)
    unnamed = unnamed_differing(of_base, of_head)
    if same and not unnamed and not builder.request.force:
        return builder.report(RunStatus.UNCHANGED)
    if unnamed:
        builder.notes.append(unnamed_note(unnamed))
    traffic = traffic_file(builder.request.repository, of_head.source, head.scenario.traffic)
    with ready_side_by_side(built, builder.host, work, progress, traffic) as runs:
        arms = dict(zip(ORDER, runs, strict=True))
        with blame(Arm.BASE):
            checks = require_trust(arms[Arm.BASE], progress)
        found = _Found(None, checks=checks)
        if kind is RunKind.SOAK or settings.has_open_loop:
            found = replace(_load(arms[Arm.BASE], settings, builder, home, progress), checks=checks)
        if found.load is not None:
            _require_packets_for_flows(settings.shape, found.load)
        if kind is RunKind.SOAK:
            _soak(arms, settings, found, progress)
        else:
            _rates(arms, settings, found, builder, progress)
    progress.step("report", "figures and checks", 1.0)
    outside = arms[Arm.BASE].generator
    generator = INSIDE.name if outside is None else outside.described.text
    return _report(builder, kind, found, generator, settings.rates.modes)


def _built(
    builder: ReportBuilder,
    config: Config,
    kind: RunKind,
    settings: _Settings,
    *,
    home: Home,
    progress: Progress,
    reading: LimitedReading,
) -> list[tuple[Subject, Built]]:
    """Base and head, built. Both run as head's [rates] says, are offered head's traffic and shape, and share
    its generator.

    Raises ConfigError for a generator outside that cannot do what [rates] requests, HostError for too few
    CPUs.
    """
    generator = INSIDE.name if settings.generator is None else config.rates.generator
    request, name = builder.request, builder.subject.name
    builder.traffic = traffic_identity(request.repository, request.head, builder.scenario_config.traffic)
    base_config, base_scenario = base_as_committed(request, config, builder)
    of_base = base_scenario.model_copy(update={"rate_arguments": builder.scenario_config.rate_arguments})
    base_config = base_config.model_copy(
        update={
            "scenarios": {**base_config.scenarios, name: of_base},
            "rates": config.rates,
            "generator": config.generator,
        }
    )
    choose(max(of_base.lcores, builder.scenario_config.lcores))  # too few CPUs are said before the builds
    plans = (
        (Arm.BASE, request.base, base_config, request.base_fills_cache),
        (Arm.HEAD, request.head, config, request.head_fills_cache),
    )
    found: list[tuple[Subject, Built]] = []
    for arm, revision, own, fills_cache in plans:
        progress.step("build", f"{arm} {revision.short}", 0.02 if arm is Arm.BASE else 0.05)
        one = planned(
            request.repository,
            revision,
            own,
            name,
            traffic=builder.traffic,
            generator=generator,
            shape=settings.shape,
        )
        definition = one.definition.model_copy(update={"load": config.rates.load_name(settings.shape)})
        one = replace(one, run=replace(one.run, definition=definition))
        if found:
            one = replace(one, generator=found[0][0].generator)
        elif one.generator is not None:
            _require_possible(one.generator, config.rates, kind)
        with blame(arm):
            made = build(
                home,
                request.repository,
                revision,
                one.config,
                progress.say,
                rebuild=request.rebuild,
                fills_cache=fills_cache,
                reading=reading,
            )
        found.append((one, made))
    return found


def _load(base: NfRun, settings: _Settings, builder: ReportBuilder, home: Home, progress: Progress) -> _Found:
    """The load of both arms: as nalm.toml gives it, as it was found for this base earlier, or a share of
    base's NDR. Raises ArmError, HostError if the search finds none."""
    rates, shape = settings.rates, settings.shape
    if rates.pps is not None:
        return _Found(CommonLoad(pps=rates.pps))
    definition = base.definition.model_dump(mode="json")
    of_base = base.build.code_digest, definition, base.how.lcores, builder.host.host_class, rates.share
    outside = [] if settings.generator is None else [settings.generator.model_dump(mode="json")]
    shaped = [] if shape == NO_SHAPE else [shape.model_dump(mode="json", exclude_none=True)]
    key = address(*of_base, *outside, *shaped)
    known = home.store().document(LOADS, key)
    if known is not None:
        return _Found(CommonLoad(pps=known["pps"], share=rates.share))
    searches = []
    for launch in range(LOAD_LAUNCHES):
        progress.step("load", f"base's NDR, launch {launch + 1} of {LOAD_LAUNCHES}", 0.08)
        with blame(Arm.BASE), TrialNf(base, launch=launch) as nf:
            (ndr,) = _search(nf, _searched(nf, settings), [Goal("ndr", 0.0)], settings)
            nf.finish()
        searches.append(ndr)
    rated = sorted((one.lower_pps, one) for one in searches if one.lower_pps is not None)
    if not rated:
        raise HostError(
            f"base's NDR was not found in {LOAD_LAUNCHES} launches: {searches[-1].reason}",
            hint="free the cores and measure again, or set rates.pps in nalm.toml",
        )
    ndr_pps, chosen = rated[len(rated) // 2]
    pps = max(1, round(ndr_pps * rates.share))
    home.store().put_document(LOADS, key, {"pps": pps})
    return _Found(CommonLoad(pps=pps, share=rates.share), chosen)


def _require_packets_for_flows(shape: LoadShape, load: CommonLoad) -> None:
    """Raises ConfigError for more new flows than packets."""
    if shape.new_flows is not None and shape.new_flows > load.pps:
        raise ConfigError(
            f"the scenario's load has {shape.new_flows:,} new flows a second, and the load of rates and "
            f"soaks {load.pps:,} packets to open them",
            hint="ask for fewer new_flows in nalm.toml, or raise rates.share or rates.pps",
        )


def _rates(
    runs: Mapping[Arm, NfRun], settings: _Settings, found: _Found, builder: ReportBuilder, progress: Progress
) -> None:
    """Launches of both arms, then those that count the events of a sweep."""
    launches, time_left = settings.launches, TimeLeft(counted_launches(runs, len(settings.rates.sweep)))
    for launch in range(launches):
        done, left = time_left.measured(launch / launches)
        progress.step("measuring", f"launch {launch + 1}", BEGIN + (1 - BEGIN) * done, left)
        _launch(launch, runs, settings, found, time_left)
    if settings.rates.sweep:
        _count_events(runs, settings, found, builder, time_left=time_left, progress=progress)


def _launch(
    launch: int, runs: Mapping[Arm, NfRun], settings: _Settings, found: _Found, time_left: TimeLeft
) -> None:
    """Full load, searches, and trials at the common load, as far as they are measured. The order of the arms
    is swapped from trial to trial and from launch to launch."""
    modes = settings.rates.modes
    for group in groups(launch, runs):
        with alive(launch, group, runs, found.arms) as arms:
            time_left.started(nf.start_s for nf in arms.values())
            if "mrr" in modes:
                loads = _full_loads(launch, arms, settings, found)
                if "ndr" in modes:
                    _searches(launch, arms, loads, settings, found)
            if "latency" in modes:
                _at_the_load(launch, arms, settings, found)
            _sweep(launch, arms, settings, found)


def _full_loads(
    launch: int, arms: Mapping[Arm, TrialNf], settings: _Settings, found: _Found
) -> Mapping[Arm, Loads]:
    """Trials at full load, after one that warms up; the loads that a search of each arm has."""
    full: dict[Arm, list[Trial]] = {arm: [] for arm in arms}
    for number in range(RATE_RUN_MRR_TRIALS + 1):
        seconds = settings.rates.trial_s * (1 if number else WARM_UP_SHARE)
        for arm in order(launch + number, arms):
            with blame(arm):
                trial = arms[arm].trial(Ask(Phase.MRR, seconds))
            full[arm].append(trial)
            if number:
                found.trials.append(PairedTrial(arm=arm, load=None, pair=number - 1, trial=_bare(trial)))
    return {arm: _loads(trials, arms[arm].info, settings) for arm, trials in full.items()}


def _searches(
    launch: int,
    arms: Mapping[Arm, TrialNf],
    loads: Mapping[Arm, Loads],
    settings: _Settings,
    found: _Found,
) -> None:
    """One search of NDR and PDR with each arm, which begins above its rate at full load."""
    goals = [Goal("ndr", 0.0), Goal("pdr", SEARCH.pdr_loss)]
    for arm in order(launch, arms):
        with blame(arm):
            searches = _search(arms[arm], loads[arm], goals, settings)
        found.searches += [ArmSearch(arm=arm, launch=launch, search=one) for one in searches]


def _at_the_load(launch: int, arms: Mapping[Arm, TrialNf], settings: _Settings, found: _Found) -> None:
    """Trials at the common load."""
    rates, load = settings.rates, found.load
    assert load is not None
    for pair in range(rates.trials):
        out = 0.0 if pair else settings.leave_out_s
        ask = Ask(Phase.LATENCY, settings.trial_s + out, load.pps, load.share, out)
        for arm in order(launch + pair, arms):
            with blame(arm):
                trial = arms[arm].trial(ask)
            found.trials.append(PairedTrial(arm=arm, load=0, pair=pair, trial=trial))


def _sweep(launch: int, arms: Mapping[Arm, TrialNf], settings: _Settings, found: _Found) -> None:
    """One trial of each arm at every load of the sweep, in random order."""
    shares, load = settings.rates.sweep, found.load
    for number, share in enumerate(Random(launch).sample(shares, len(shares))):
        pps = _swept_pps(load, share)
        for arm in order(launch + number, arms):
            with blame(arm):
                trial = arms[arm].trial(Ask(Phase.SWEEP, settings.trial_s, pps, share))
            kept = _bare(trial).model_copy(update={"latency": trial.latency})
            found.trials.append(PairedTrial(arm=arm, load=None, pair=number, trial=kept))


def _swept_pps(load: CommonLoad | None, share: float) -> int:
    assert load is not None and load.share is not None  # a sweep has no load in packets per second
    return max(1, round(load.pps / load.share * share))


def _count_events(
    runs: Mapping[Arm, NfRun],
    settings: _Settings,
    found: _Found,
    builder: ReportBuilder,
    *,
    time_left: TimeLeft,
    progress: Progress,
) -> None:
    """Cycles and instructions of each arm at the loads of the sweep, or a note why there are none."""
    if reason := not_counted(runs[Arm.BASE]):
        builder.notes.append(reason)
        return
    loads = [(share, _swept_pps(found.load, share)) for share in settings.rates.sweep]
    for arm in ORDER:

        def step(share: float, arm: Arm = arm) -> None:
            done, left = time_left.counted()
            detail = f"{arm}, {share_percent(share, 0)} of NDR"
            progress.step("events", detail, BEGIN + (1 - BEGIN) * done, left)

        events, missing = count_events(arm, runs[arm], loads, step)
        if events:
            found.load_events[arm] = events
        if missing is not None:
            builder.notes.append(f"{arm}: {missing}")


def _soak(runs: Mapping[Arm, NfRun], settings: _Settings, found: _Found, progress: Progress) -> None:
    """One launch of both arms, which take turns of an interval until each has had its time. With a generator
    outside, launches of one arm alone."""
    launches = 1 if settings.generator is None else SOAK_RUN_LAUNCHES
    for launch in range(launches):
        for group in groups(launch, runs):
            with alive(launch, group, runs, found.arms) as arms:
                _soak_launch(launch, arms, settings, found, progress)


def _soak_launch(
    launch: int,
    arms: Mapping[Arm, TrialNf],
    settings: _Settings,
    found: _Found,
    progress: Progress,
) -> None:
    """Intervals until each of these arms has had its time."""
    whole, interval_s, load = settings.soak_seconds, settings.soak_interval_s, found.load
    assert load is not None
    own = whole if settings.generator is None else whole / SOAK_RUN_LAUNCHES
    before = sum(soak_seconds([one.interval for one in found.intervals if one.arm is arm]) for arm in ORDER)
    done = dict.fromkeys(arms, 0.0)
    for number in count():
        if min(done.values()) >= own:
            break
        spent = (before + sum(done.values())) / len(ORDER)
        progress.step(
            "soak",
            f"{spent / 3600:.2f} of {whole / 3600:g} h",
            BEGIN + (1 - BEGIN) * min(1.0, spent / whole),
            max(0.0, len(ORDER) * (whole - spent)),
        )
        for arm in order(launch + number, arms):
            nf = arms[arm]
            with blame(arm):
                trial = nf.trial(Ask(Phase.SOAK, interval_s, load.pps, load.share))
                if trial.traffic.sending_ns == 0:
                    raise NfError("the generator did not send", log=nf.log_tail())
            done[arm] += trial.traffic.sending_ns / 1e9
            interval = SoakInterval(
                number=sum(one.arm is arm for one in found.intervals),
                launch=launch,
                ended_at=datetime.now(UTC),
                launch_s=done[arm],
                trial=trial,
                memory_bytes=nf.memory_bytes(),
                buffers_in_use=nf.buffers_in_use(),
            )
            found.intervals.append(ArmInterval(arm=arm, interval=interval))


def _searched(nf: TrialNf, settings: _Settings) -> Loads:
    """The loads of a search, from trials at full load."""
    seconds = settings.rates.trial_s
    nf.trial(Ask(Phase.MRR, seconds * WARM_UP_SHARE))
    return _loads([nf.trial(Ask(Phase.MRR, seconds)) for _ in range(RATE_RUN_MRR_TRIALS)], nf.info, settings)


def _loads(full: Sequence[Trial], info: ArmInfo, settings: _Settings) -> Loads:
    """The loads of a search. Rates are corrected for stolen time: it must begin above the NF's capacity."""
    rates = [forwarded_pps(trial, info) or 0.0 for trial in full]
    rates += [cpu_pps(trial, info) or 0.0 for trial in full]
    offered = None if settings.generator is None else max(sent_pps(trial) for trial in full)
    return search_loads(max(rates), offered)


def _search(nf: TrialNf, loads: Loads, goals: Sequence[Goal], settings: _Settings) -> list[Search]:
    """Raises NfError if the NF forwards nothing."""
    if loads.greatest == 0:
        raise NfError("the NF forwarded nothing: in no trial at full load did a packet leave it")

    def measure(seconds: float, pps: int) -> Trial:
        return nf.trial(Ask(Phase.SEARCH, seconds, pps))

    return search(goals, loads, measure, nf.info, settings.search)


def _bare(trial: Trial) -> Trial:
    """Without histograms: the latency of a trial at full load is that of full queues."""
    return trial.model_copy(update={"latency": None, "jitter": None, "directions": {}, "batches": []})


def _require_possible(generator: OutsideGenerator, rates: RatesConfig, kind: RunKind) -> None:
    """Raises ConfigError."""
    if kind is RunKind.SOAK:
        inside = 'set rates.generator = "inside" in nalm.toml, which jobs of rates and soaks share'
        require_able(generator, rate=Need("a soak", inside), error=ConfigError)
        return
    needs_rate = [f"{mode!r} in rates.modes" for mode in ("ndr", "latency") if mode in rates.modes]
    needs_rate += ["rates.sweep"] if rates.sweep else []
    require_able(
        generator,
        rate=Need(needs_rate[0], 'set rates.modes = ["mrr"] without rates.sweep') if needs_rate else None,
        latency=Need("'latency' in rates.modes", 'set rates.modes = ["mrr", "ndr"]')
        if "latency" in rates.modes
        else None,
        error=ConfigError,
    )


def _report(
    builder: ReportBuilder, kind: RunKind, found: _Found, generator: str, modes: list[RateMode]
) -> RunReport:
    margins = given_margins(builder.margins)
    rates = RateRun(
        kind="soak" if kind is RunKind.SOAK else "rate",
        generator=generator,
        load=found.load,
        modes=modes,
        base_ndr=found.base_ndr,
        trials=found.trials,
        searches=found.searches,
        load_events=found.load_events,
        intervals=found.intervals,
    )
    builder.arms = found.arms
    of = soak_metrics if kind is RunKind.SOAK else rate_metrics
    report = builder.report(RunStatus.MEASURED, checks=[*_checks(found, builder.host.tsc_hz), *found.checks])
    return report.model_copy(update={"rates": rates, "own_metrics": of(rates, found.arms, margins)})


def _checks(found: _Found, tsc_hz: int) -> Iterator[Check]:
    """The checks of each arm's trials, the arm named in a failed one; a check that both pass stands once."""
    passed: dict[str, Check] = {}
    for arm, info in found.arms.items():
        trials = [one.trial for one in found.trials if one.arm is arm]
        trials += [one.interval.trial for one in found.intervals if one.arm is arm]
        for check in rate_checks(trials, info, tsc_hz):
            if check.passed:
                passed.setdefault(check.name, check)
            else:
                yield check.model_copy(update={"message": f"{arm}: {check.message}"})
    yield from passed.values()
