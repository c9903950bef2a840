# SPDX-License-Identifier: Apache-2.0
"""Reports of runs under load with a planted change, or none: trials made up from known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache

import numpy as np
from nalm_core.rates.defaults import COMPARE_ALPHA, COMPARE_TRIALS, RATE_RUN_LAUNCHES
from nalm_core.rates.latency import Histogram, histogram
from nalm_core.rates.rate_result import rate_checks
from nalm_core.rates.run_figures import rate_metrics
from nalm_core.rates.soak_figures import soak_metrics
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.run_report import Arm, ArmInfo, Check, RunReport, RunStatus, Source
from nalm_core.report.trials.long_calls import CallCounts
from nalm_core.report.trials.rate_run import (
    RATE_MODES,
    ArmInterval,
    ArmSearch,
    CommonLoad,
    PairedTrial,
    RateMode,
    RateRun,
    SoakInterval,
)
from nalm_core.report.trials.trial import Ended, Phase, Search
from rate_synthetic import HOST, INFO, SCENARIO, STARTED, TSC_HZ, Truth, trial

PPS, NDR = 1_000_000, 2_000_000
ARMS = (Arm.BASE, Arm.HEAD)
HEAD = INFO.model_copy(
    update={"build": INFO.build.model_copy(update={"commit": "b" * 40, "code_digest": "d"})}
)
INFOS = {Arm.BASE: INFO, Arm.HEAD: HEAD}
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
Waits = Callable[[np.ndarray], np.ndarray]


def same(waits: np.ndarray) -> np.ndarray:
    return waits


def later(ns: float, low: float, high: float) -> Waits:
    """A change that makes the packets between two quantiles later, and no others."""

    def changed(waits: np.ndarray) -> np.ndarray:
        first, last = np.quantile(waits, (low, high))
        return np.where((waits >= first) & (waits < last), waits + ns, waits)

    return changed


def waits_of(values: np.ndarray) -> Histogram:
    unique, counts = np.unique(np.round(values / 50) * 50, return_counts=True)
    return histogram(
        zip(unique.tolist(), counts.tolist(), strict=True),
        sum_ns=float(values.sum()),
        min_ns=float(unique[0]),
        max_ns=float(unique[-1]),
    )


def in_steps_of_10_us(values: np.ndarray) -> Histogram:
    """As TRex has them below 100 us."""
    ends, counts = np.unique(np.ceil(values / 10_000) * 10_000, return_counts=True)
    return histogram(
        zip(ends.tolist(), counts.tolist(), strict=True),
        sum_ns=float(values.sum()),
        min_ns=float(ends[0] - 10_000),
        max_ns=float(ends[-1]),
        steps=[(end - 10_000, end) for end in ends.tolist()],
    )


@cache
def soak_waits() -> Sequence[Histogram]:
    """Latencies of intervals, of which a soak draws: to make each anew takes half of a soak's time."""
    rng = np.random.default_rng(64)
    return [waits_of(rng.lognormal(np.log(3000), 0.3, 500)) for _ in range(64)]


@cache
def jitters(packets: int) -> Sequence[Histogram]:
    """Of trials, which no change of a run alters."""
    rng = np.random.default_rng(65)
    return [waits_of(rng.exponential(800, packets) + 50) for _ in range(64)]


def rate_run(
    seed: int = 1,
    *,
    waits: Waits = same,
    burst_loss: float = 0.0,
    rate: float = 1.0,
    invalid: Callable[[Arm, Phase, int], str | None] = lambda arm, phase, launch: None,
    disturbed_search: str | None = None,
    launches: int = RATE_RUN_LAUNCHES,
    polls: Mapping[Arm, float] | None = None,
    lost_at_most: float = 0.0,
    more_in_rx: float = 0.0,
    modes: Sequence[RateMode] = RATE_MODES,
    margins: Mapping[str, float] | None = None,
    packets: int = 8_000,
    pauses: Mapping[str, float] | None = None,
    line: float | None = None,
    bins: Callable[[np.ndarray], Histogram] = waits_of,
    wait_ns: float = 3000,
) -> RunReport:
    """A run of rates. Launches and trials scatter by some per cent.

    waits: what the change does to head's latencies; burst_loss: share of all packets that head loses, all in
    one trial of each launch; rate: head's MRR and NDR over base's; polls: cycles of a poll, in a sweep;
    lost_at_most: share that is lost at the sweep's greatest load; more_in_rx: head's cycles per packet at the
    load over base's, less 1, all in stage rx; pauses: calls of 20 us of head's stages in a second of the
    load, beside the host's own, which are anywhere and in both arms. None: calls are not counted.
    bins: the histograms of latency; wait_ns: base's median.
    line: packets per second that a generator outside can offer; None: it has no limit.
    """
    rng = np.random.default_rng(seed)
    trials, searches = [], []
    for launch in range(launches):
        shared = rng.normal(0, 0.01)
        for arm in ARMS:
            is_head = arm is Arm.HEAD
            speed = (rate if is_head else 1.0) * np.exp(shared + rng.normal(0, 0.005))
            for pair in range(2):
                sent = round(NDR * 1.1 * speed * np.exp(rng.normal(0, 0.002)))
                truth = Truth(intended_pps=None, sent=sent, cur=1.0, launch=launch, phase=Phase.MRR)
                why = invalid(arm, Phase.MRR, launch)
                if line is not None and sent > line:
                    truth.sent, truth.cur, truth.shared_core = round(line), line / sent, False
                    why = "the NF waited for packets: the generator is the bottleneck"
                one = trial(truth, why).model_copy(update={"outside": line is not None})
                trials.append(PairedTrial(arm=arm, load=None, pair=pair, trial=one))
            for goal, of in (("ndr", 1.0), ("pdr", 1.02)):
                searches.append(
                    ArmSearch(
                        arm=arm, launch=launch, search=_search(goal, NDR * of * speed, disturbed_search, line)
                    )
                )
            grown = more_in_rx if is_head else 0.0
            level = np.exp(shared + rng.normal(0, 0.01))
            for pair in range(COMPARE_TRIALS):
                base = rng.lognormal(np.log(wait_ns), 0.3, packets) * level * np.exp(rng.normal(0, 0.01))
                lost = (
                    round(PPS * burst_loss * COMPARE_TRIALS)
                    if is_head and pair == launch % COMPARE_TRIALS
                    else 0
                )
                truth = Truth(
                    phase=Phase.LATENCY,
                    launch=launch,
                    share=0.5,
                    no_port=lost,
                    cycles_per_packet=500 * (1 + grown) * np.exp(shared + rng.normal(0, 0.005)),
                    rx_share=(0.5 + grown) / (1 + grown),
                    latency=bins(waits(base) if is_head else base),
                )
                one = trial(truth, invalid(arm, Phase.LATENCY, launch))
                # As many numbers as jitter of its own would take: other figures of a seed stay the same.
                drawn = int(rng.exponential(800, packets // 2)[0])
                one = one.model_copy(update={"jitter": jitters(packets // 2)[drawn % 64]})
                if pauses is not None:
                    calls = calls_of(rng, pauses if is_head else {}, one.traffic.sending_ns / 1e9)
                    one = one.model_copy(update={"long_calls": calls})
                trials.append(PairedTrial(arm=arm, load=0, pair=pair, trial=one))
            if polls is not None:
                for number, share in enumerate(SHARES):
                    truth = _swept(share, launch, polls[arm] * np.exp(rng.normal(0, 0.01)))
                    truth.no_port = round(truth.sent * lost_at_most) if share == SHARES[-1] else 0
                    one = trial(truth, invalid(arm, Phase.SWEEP, launch))
                    trials.append(PairedTrial(arm=arm, load=None, pair=number, trial=one))
    load = CommonLoad(pps=PPS, share=0.5)
    run = RateRun(
        kind="rate", generator="inside", load=load, modes=list(modes), trials=trials, searches=searches
    )
    return _report(run, "rate").model_copy(update={"own_metrics": rate_metrics(run, INFOS, margins or {})})


@lru_cache(maxsize=8)
def soak_run(
    seed: int = 1,
    *,
    hours: float = 8.0,
    leak: float = 0.0,
    base_leak: float = 0.0,
    drift: float = 0.0,
    intervals: int = 240,
    steps: bool = False,
    noise: float = 0.003,
    turns: Sequence[Arm] | None = None,
    host: float = 0.0,
    timed: bool = True,
) -> RunReport:
    """A soak of both arms. leak: buffers by the hour that head loses; drift: of head's CPP over the soak.
    steps: the number of buffers follows the traffic, and not only the leak. noise: of an interval's CPP.

    turns: arms whose launches follow each other, each with a level of its own; None: both take turns of an
    interval. host: how far it wanders over the whole time, as a share of the CPP. timed: there is latency.
    """
    rng = np.random.default_rng(seed)
    found = []
    parts = len(turns) // len(ARMS) if turns else 1
    own = intervals // parts
    wander = np.cumsum(rng.normal(0, host / (2 * intervals) ** 0.5, 2 * intervals))
    for turn, arm in enumerate(turns or ARMS):
        grows = leak + base_leak if arm is Arm.HEAD else base_leak
        launch = turn // len(ARMS) if turns else 0
        memory, level = (1 << 27) + int(rng.integers(0, 1 << 24)) * (turns is not None), 512 + 7 * launch
        for number in range(own):
            at = hours / parts * (number + 1) / own
            grown = drift * at / hours if arm is Arm.HEAD else 0.0
            grown += wander[turn * own + number if turns else 2 * number]
            waits = soak_waits()
            truth = Truth(
                phase=Phase.SOAK,
                cycles_per_packet=500 * (1 + grown) * np.exp(rng.normal(0, noise)),
                latency=waits[rng.integers(len(waits))] if timed else None,
            )
            buffers = level + (int(rng.integers(-3, 4)) if steps else 0) + int(grows * at)
            one = SoakInterval(
                number=launch * own + number,
                launch=launch,
                ended_at=STARTED + timedelta(hours=at),
                launch_s=at * 3600,
                trial=trial(truth),
                memory_bytes=memory,
                buffers_in_use=buffers,
            )
            found.append(ArmInterval(arm=arm, interval=one))
    generator = "lab (trex)" if turns else "inside"
    run = RateRun(kind="soak", generator=generator, load=CommonLoad(pps=PPS, share=0.5), intervals=found)
    return _report(run, "soak").model_copy(update={"own_metrics": soak_metrics(run, INFOS, {})})


def calls_of(rng: np.random.Generator, pauses: Mapping[str, float], seconds: float) -> dict[str, CallCounts]:
    """Calls of 20 us, as many of each stage in a second as `pauses` says and the host's own, and of 1 us,
    which are too short to matter."""
    found: dict[str, CallCounts] = {}
    for stage in (one.name for one in INFO.stages if not one.apart):
        count = int(rng.poisson((pauses.get(stage, 0.0) + rng.pareto(2.0)) * seconds))
        for us, calls in ((1, 1000), (20, count)):
            cycles = round(us * TSC_HZ / 1e6)
            if calls:
                found.setdefault(stage, {})[cycles.bit_length() - 1] = calls, calls * cycles
    return found


def _swept(share: float, launch: int, poll: float) -> Truth:
    """`poll` cycles for each poll and 100 for each packet."""
    pps = round(NDR * 2 * share)
    batch = max(1.0, poll / (TSC_HZ / pps - 100))
    cpp = (poll / batch + 100) * (1 + 0.01 * (launch % 3))
    return Truth(
        intended_pps=pps,
        sent=pps,
        cycles_per_packet=cpp,
        cur=min(1.0, pps * cpp / TSC_HZ),
        share=share,
        phase=Phase.SWEEP,
        launch=launch,
        shared_core=False,
        together=batch,
    )


def _search(goal: str, pps: float, disturbed: str | None, line: float | None) -> Search:
    if line is not None and pps * 1.02 > line:
        return Search(
            goal="ndr" if goal == "ndr" else "pdr",
            loss_ratio=0.0 if goal == "ndr" else 0.005,
            least_pps=1e4,
            greatest_pps=line,
            lower_pps=line,
            upper_pps=None,
            throughput_pps=line,
            ended=Ended.NO_LOSS_AT_MOST,
            reason=f"no more is lost at {line:.0f} pps, where the search begins",
        )
    return Search.model_validate(
        {
            "goal": goal,
            "loss_ratio": 0.0 if goal == "ndr" else 0.005,
            "least_pps": 1e4,
            "greatest_pps": 4e6,
            "lower_pps": None if disturbed else pps,
            "upper_pps": None if disturbed else pps * 1.02,
            "throughput_pps": None if disturbed else pps,
            "ended": Ended.DISTURBED if disturbed else Ended.FOUND,
            "reason": disturbed,
        }
    )


def _report(run: RateRun, kind: str) -> RunReport:
    def of(arm: Arm, info: ArmInfo) -> list[Check]:
        trials = [one.trial for one in run.trials if one.arm is arm]
        return rate_checks(
            trials + [one.interval.trial for one in run.intervals if one.arm is arm], info, TSC_HZ
        )

    checks = {one.name: one for arm, info in INFOS.items() for one in of(arm, info)}
    return RunReport(
        run_id="0" * 32,
        nalm_version="1",
        project="nf",
        scenario=SCENARIO.model_copy(update={"name": f"{SCENARIO.name}:{kind}"}),
        host=HOST,
        status=RunStatus.MEASURED,
        started_at=STARTED,
        finished_at=STARTED,
        settings=DEFAULT_SETTINGS.model_copy(update={"alpha": COMPARE_ALPHA}),
        arms=INFOS,
        sources={Source.TSC: None},
        rates=run,
        checks=list(checks.values()),
    )
