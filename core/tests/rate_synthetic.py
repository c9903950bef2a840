# SPDX-License-Identifier: Apache-2.0
"""Trials and soaks made up from known truth."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from nalm_core.rates.latency import Histogram, histogram
from nalm_core.rates.rate_report import (
    LcoreStages,
    Phase,
    RateReport,
    RateSettings,
    RateStatus,
    Search,
    Traffic,
    Trial,
)
from nalm_core.rates.rate_result import rate_checks
from nalm_core.rates.soak import SoakHeader, SoakInterval, SoakSettings
from nalm_core.report.run_report import (
    ArmInfo,
    Build,
    Host,
    LcoreCounters,
    OutcomeKind,
    RunDefinition,
    Scenario,
    StageCounters,
    StageInfo,
)

TSC_HZ = 2_000_000_000
PASS = {"pass": OutcomeKind.PASS}
STAGES = [
    StageInfo(name="gen", apart=True, outcomes=PASS),
    StageInfo(name="rx", outcomes=PASS),
    StageInfo(
        name="nat",
        outcomes={"pass": OutcomeKind.PASS, "no_port": OutcomeKind.LOST, "denied": OutcomeKind.POLICY},
    ),
    StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "malformed": OutcomeKind.BAD}),
]
BUILD = Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc")
RUN = RunDefinition(features=["nat"], command=["nf"], traffic="imix")
INFO = ArmInfo(build=BUILD, run=RUN, stages=STAGES)
HOST = Host(
    name="host",
    host_class="class",
    cpu_model="cpu",
    cores=2,
    tsc_hz=TSC_HZ,
    memory_bytes=1 << 30,
    kernel="6",
    os="os",
    virtual=True,
    huge_pages=False,
)
SCENARIO = Scenario(name="sfc_a", lcores=1, traffic="imix", load="open")
STARTED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Truth:
    """One trial's truth. Shares are of the packets that were sent."""

    intended_pps: int | None = 1_000_000
    seconds: float = 1.0
    sent: int = 1_000_000
    late: int = 0
    no_port: int = 0
    denied: int = 0
    malformed: int = 0
    vanished: int = 0
    received: int | None = None
    """As the generator's stamps tell it; None: no stamps."""
    claimed: int | None = None
    """What the generator says it sent, if that is a lie."""
    cycles_per_packet: float = 500.0
    rx_share: float = 0.5
    """Of these cycles; nat has the others."""
    cur: float = 0.5
    stolen: float = 0.0
    stalled: float | None = None
    """Seconds of one call of nat; None: calls are not counted."""
    phase: Phase = Phase.SEARCH
    share: float | None = None
    launch: int = 0
    lcores: int = 1
    latency: Histogram | None = None
    shared_core: bool = True
    together: float = 32.0
    """Packets that a stage has at a time."""


def trial(truth: Truth, invalid: str | None = None) -> Trial:
    """The counters that a real trial of that truth would have left."""
    out = truth.sent - truth.no_port - truth.denied - truth.malformed - truth.vanished
    share = 1 / truth.lcores
    wall = round(truth.seconds * 1e9)
    busy = round(truth.cycles_per_packet * (out + truth.denied))
    own = round(truth.seconds * TSC_HZ * (1 - truth.stolen))
    idle = round(busy * (1 / truth.cur - 1))
    apart = max(0, own - busy - idle) if truth.shared_core else 0

    def part(count: int) -> int:
        return round(count * share)

    def stages(lcore: int) -> LcoreStages:
        def one(cycles: int, packets: int, **outcomes: int) -> StageCounters:
            return StageCounters(
                cycles=part(cycles),
                packets=part(packets),
                batches=round(part(packets) / truth.together),
                outcomes={name: part(count) for name, count in outcomes.items()},
            )

        left = out + truth.malformed
        return LcoreStages(
            lcore=lcore,
            stages={
                "gen": one(apart, truth.sent, **{"pass": truth.sent}),
                "rx": one(round(busy * truth.rx_share), truth.sent, **{"pass": truth.sent}),
                "nat": one(
                    busy - round(busy * truth.rx_share),
                    truth.sent - truth.vanished,
                    **{"pass": left, "no_port": truth.no_port, "denied": truth.denied},
                ),
                "tx": one(0, left, sent=out, malformed=truth.malformed),
            },
        )

    def counters(lcore: int) -> LcoreCounters:
        return LcoreCounters(
            lcore=lcore,
            packets=part(out),
            busy_cycles=part(busy),
            idle_cycles=part(idle),
            apart_cycles=part(apart),
            turn_tsc_cycles=round(truth.seconds * TSC_HZ),
            turn_wall_ns=wall,
            turn_cpu_ns=round(wall * (1 - truth.stolen)),
            involuntary_switches=0,
            voluntary_switches=0,
            minor_faults=0,
            major_faults=0,
        )

    return Trial(
        phase=truth.phase,
        launch=truth.launch,
        intended_pps=truth.intended_pps,
        intended_s=truth.seconds,
        share=truth.share,
        traffic=Traffic(
            sending_ns=wall,
            sent=truth.sent if truth.claimed is None else truth.claimed,
            late=truth.late,
            received=truth.received,
            reordered=None if truth.received is None else 0,
            duplicates=None if truth.received is None else 0,
            damaged=None if truth.received is None else 0,
        ),
        lcores=[counters(lcore) for lcore in range(truth.lcores)],
        stages=[stages(lcore) for lcore in range(truth.lcores)],
        long_calls=None if truth.stalled is None else {"nat": _one_call(truth.stalled)},
        steal_ns=0,
        latency=truth.latency,
        invalid=invalid,
    )


def _one_call(seconds: float) -> dict[int, tuple[int, int]]:
    cycles = round(seconds * TSC_HZ)
    return {cycles.bit_length() - 1: (1, cycles)}


def latency_of(value_ns: float, count: int = 1000) -> Histogram:
    """All packets of one latency."""
    return histogram([(value_ns, count)], sum_ns=value_ns * count, min_ns=value_ns, max_ns=value_ns)


def rate_report(trials: list[Trial], searches: list[Search] | None = None, **settings: object) -> RateReport:
    """A measured report of these trials."""
    return RateReport(
        run_id="0" * 32,
        nalm_version="1",
        project="nf",
        scenario=SCENARIO,
        host=HOST,
        status=RateStatus.MEASURED,
        started_at=STARTED,
        finished_at=STARTED,
        settings=RateSettings.model_validate(settings),
        build=BUILD,
        run=RUN,
        stages=STAGES,
        trials=trials,
        searches=searches or [],
        checks=rate_checks(trials, INFO, TSC_HZ),
    )


def soak_header(interval_s: float = 10.0) -> SoakHeader:
    """A soak's header."""
    return SoakHeader(
        run_id="0" * 32,
        nalm_version="1",
        project="nf",
        scenario=SCENARIO,
        host=HOST,
        started_at=STARTED,
        settings=SoakSettings(hours=1, interval_s=interval_s, pps=1_000_000),
        build=BUILD,
        run=RUN,
        stages=STAGES,
    )


def interval(
    number: int,
    truth: Truth,
    *,
    launch: int = 0,
    at: int | None = None,
    memory: int | None = 1 << 27,
    buffers: int | None = None,
    invalid: str | None = None,
) -> SoakInterval:
    """One interval of ten seconds' name, a trial of one second's counters."""
    return SoakInterval(
        number=number,
        launch=launch,
        ended_at=STARTED,
        launch_s=10.0 * ((number if at is None else at) + 1),
        trial=trial(truth, invalid),
        memory_bytes=memory,
        buffers_in_use=buffers,
    )
