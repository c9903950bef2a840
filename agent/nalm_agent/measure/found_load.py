# SPDX-License-Identifier: Apache-2.0
"""Searches the load of a scenario on base: a share of its rate at full load or of its NDR, or the rate at
which it has a CUR.

The store keeps what was found for a build, its run definition and the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import NamedTuple

from nalm_core.rates.defaults import SEARCH_ABOVE_MRR, SEARCH_LEAST
from nalm_core.rates.presets import Mode
from nalm_core.rates.rate_report import Ended, Phase, RateSettings, Search, Trial
from nalm_core.report.counters import cpu_time_scale, cur, ratio, stolen_share
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.rounds import is_clean
from nalm_core.report.run_report import Arm, Build, Round, RunDefinition, StageInfo
from nalm_core.text.percents import share_percent

from nalm_agent.config.load import LoadConfig
from nalm_agent.host.cores import Cores
from nalm_agent.measure.rounds import ArmRun, blame, warm_up
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.nf.probe import counted_packets
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address
from nalm_agent.trials.search import Goal, Loads, search
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

LOADS = "loads"
FULL_LOAD_LAUNCHES = 3
NDR_LAUNCHES = 3
NDR_SEARCH = RateSettings(mode=Mode.NDR, trial_s=0.25, width=0.02, search_s=120)
TURN_MS = 20.0
TURNS = 10
"""Turns of a look at a load, at first, and by how many it grows until it tells on which side it is."""
MOST_TURNS = 40
CUR_TOLERANCE = 0.01
STEPS = 32
"""Looks of a search for a CUR, at most."""
NARROW, WIDER = 0.002, 1.25
"""Relative width at which an interval is too narrow; it is then widened by this factor at each end."""
REACH = 1.5
"""Greatest load of a search, as a multiple of the rate at full load."""
ERRORS = 2.0
"""Standard errors by which CUR must differ from the one searched for."""
MAD_SCALE, MEDIAN_SCALE = 1.4826, 1.2533
"""Standard deviation over MAD, and error of a median over that of a mean, of a normal distribution."""


class Seen(NamedTuple):
    """A look at a load."""

    pps: float
    cur: float
    """Median turn."""
    error: float = 0.0
    """Standard error of the median."""
    stolen: float = 0.0
    """Share of the time that other programs took, median turn."""

    def __str__(self) -> str:
        return f"{self.cur:.3f} at {self.pps:,.0f} packets/s"


class Found(NamedTuple):
    """A load that was found on base."""

    pps: int
    how: str
    """For readers."""


@dataclass(frozen=True)
class BaseUnderLoad:
    """Base, as loads are searched on it."""

    run: ArmRun
    build: Build
    cores: Cores
    definition: RunDefinition
    host_class: str
    home: Home
    work: WorkDir
    progress: Progress

    def key(self, load: LoadConfig) -> str:
        """Address of the load in the store."""
        definition = self.definition.model_dump(mode="json")
        spec = load.model_dump(mode="json", exclude_none=True)
        return address(self.build.code_digest, definition, self.run.how.lcores, self.host_class, spec)


def found_load(load: LoadConfig, base: BaseUnderLoad) -> Found:
    """The load as this host found it earlier, or finds it now. Raises ArmFailedError, HostError."""
    key = base.key(load)
    known = base.home.store().document(LOADS, key)
    if known is not None:
        return Found(known["pps"], known["how"])
    with blame(base.run.arm):
        found = _search(load, base)
    base.home.store().put_document(LOADS, key, found._asdict())
    return found


def _search(load: LoadConfig, base: BaseUnderLoad) -> Found:
    base.progress.step("load", f"{load.name}: base at full load", 0.11)
    launches = [_full_load(base, launch) for launch in range(1 if load.cur else FULL_LOAD_LAUNCHES)]
    full = median(launches)
    if load.ndr is not None:
        ndr = _ndr(load, max(launches), base)
        return Found(max(1, round(ndr * load.ndr)), f"{load.ndr:g} of base's NDR of {ndr:,.0f}")
    if load.mrr is not None:
        return Found(max(1, round(full * load.mrr)), f"{load.mrr:g} of base's {full:,.0f} at full load")
    assert load.cur is not None
    return _at_cur(load, load.cur, full, base)


def _full_load(base: BaseUnderLoad, launch: int) -> float:
    """Packets per second of a process at full load, without the time that other programs took."""
    with PacedNf(base.run.how, base.work, None, seed=launch) as nf:
        nf.wait_ready()
        rates = [rate for one in _turns(nf, None) if (rate := _rate(one, nf.stages))]
        nf.finish()
    if not rates:
        raise HostError(
            "base forwarded nothing at full load, so its load cannot be found",
            hint="free a core and measure again, or set the load in packets per second",
        )
    return median(rates)


def _ndr(load: LoadConfig, full: float, base: BaseUnderLoad) -> float:
    """The greatest load without loss: the median of the launches whose search found one."""
    loads = Loads(least=full * SEARCH_LEAST, greatest=full * SEARCH_ABOVE_MRR)
    searches = [_ndr_of_launch(load, loads, base, launch) for launch in range(NDR_LAUNCHES)]
    rates = [one.lower_pps for one in searches if one.ended is Ended.FOUND and one.lower_pps is not None]
    if not rates:
        raise HostError(
            f"base's NDR was not found in {NDR_LAUNCHES} launches: {searches[-1].reason}",
            hint="free the cores and measure again, or set the load in packets per second",
        )
    return median(rates)


def _ndr_of_launch(load: LoadConfig, loads: Loads, base: BaseUnderLoad, launch: int) -> Search:
    run = NfRun(base.run.how, base.cores, base.work, base.build, base.definition, shape=load.shape)
    with TrialNf(run, launch=launch) as nf:

        def measure(seconds: float, pps: int) -> Trial:
            step = f"{load.name}: launch {launch + 1} of {NDR_LAUNCHES}, {pps:,} packets/s"
            base.progress.step("load", step, 0.11)
            return nf.trial(Ask(Phase.SEARCH, seconds, pps))

        (found,) = search([Goal("ndr", 0.0)], loads, measure, nf.info, NDR_SEARCH)
        nf.finish()
    return found


def _at_cur(load: LoadConfig, target: float, full: float, base: BaseUnderLoad) -> Found:
    """The load at this CUR, by bisection."""
    with PacedNf(base.run.how, base.work, None, seed=0) as nf:
        nf.wait_ready()
        search = _CurSearch(nf, load, target, full)
        while search.found is None:
            base.progress.step("load", f"{load.name}: step {search.looks + 1}", 0.11)
            search.step()
        nf.finish()
    return Found(round(search.found.pps), f"base has a CUR of {search.found.cur:.3f}")


class _CurSearch:
    """Halves an interval of loads with CUR below the target at one end and above it at the other."""

    def __init__(self, nf: PacedNf, load: LoadConfig, target: float, full: float) -> None:
        self._nf, self._load, self._target, self._full = nf, load, target, full
        self._low, self._high = Seen(0.0, 0.0), Seen(full, 1.0)
        self.looks = 0
        self.found: Seen | None = None
        self._stolen: list[float] = []

    def step(self) -> None:
        """Looks at the middle. Raises HostError if there is no such load, or too many looks contradict."""
        if self.looks >= STEPS:
            raise self._contradictory()
        if self._high.pps <= self._low.pps * (1 + NARROW):
            self._check_ends()
            return
        self._take(self._look(max(1, round((self._low.pps + self._high.pps) / 2))))

    def _take(self, seen: Seen) -> None:
        if self._is_at_target(seen):
            self.found = seen
        elif seen.cur < self._target:
            self._low = seen
        else:
            self._high = seen

    def _is_at_target(self, seen: Seen) -> bool:
        return abs(seen.cur - self._target) <= CUR_TOLERANCE

    def _check_ends(self) -> None:
        """Looks at both ends again: CUR jumps between them, or an earlier look was disturbed."""
        low, high = self._look(round(self._low.pps)), self._look(round(self._high.pps))
        if self._is_at_target(low) or self._is_at_target(high):
            self.found = low if self._is_at_target(low) else high
        elif self._is_beyond(low, -1) and self._is_beyond(high, 1):
            raise HostError(
                f"no load has a CUR of {self._target:g}: base's CUR jumps from {low} to {high}",
                hint="choose a CUR that base has at some load, or set the load in packets per second",
            )
        elif max(low.cur, high.cur) < self._target and high.pps * WIDER > REACH * self._full:
            raise HostError(
                f"no load has a CUR of {self._target:g}: base's CUR is {high}, and at full load it forwards "
                f"{self._full:,.0f}",
                hint="its generator is slower than it: choose a lower CUR",
            )
        else:
            self._low = Seen(low.pps / WIDER, 0.0)
            self._high = Seen(high.pps * WIDER, 1.0)

    def _look(self, pps: int) -> Seen:
        """CUR at a load, in more turns while it is not clear on which side of the target it is."""
        self.looks += 1
        turns: list[Round] = []
        offered = self._load.offered(pps)
        while len(turns) < MOST_TURNS:
            turns += _turns(self._nf, offered, resumed=bool(turns))
            seen = _seen(pps, turns)
            if seen.error == 0 or self._is_clear(seen):
                break
        self._stolen.append(seen.stolen)
        return seen

    def _is_clear(self, seen: Seen) -> bool:
        if self._is_at_target(seen):
            return seen.error <= CUR_TOLERANCE / ERRORS
        return self._is_beyond(seen, 1) or self._is_beyond(seen, -1)

    def _is_beyond(self, seen: Seen, side: int) -> bool:
        """True if CUR is surely on this side of the target."""
        return (seen.cur - self._target) * side > ERRORS * seen.error

    def _contradictory(self) -> HostError:
        return HostError(
            f"no load was found at which base has a CUR of {self._target:g} ± {CUR_TOLERANCE:g}: after "
            f"{self.looks} looks it is between {self._low} and {self._high}; other programs took "
            f"{share_percent(median(self._stolen))} of the time in the median look, "
            f"{share_percent(max(self._stolen))} in the worst",
            hint="free the cores and measure again, or set the load in packets per second",
        )


def _seen(pps: int, turns: Sequence[Round]) -> Seen:
    """The look at the least disturbed half of the turns, or at all clean ones if they are more.

    Raises HostError if base does not count idle time.
    """
    ordered = sorted(turns, key=stolen_share)
    kept = max(len(ordered) // 2, sum(is_clean(one) for one in ordered))
    values = [value for one in ordered[:kept] if (value := cur(one)) is not None]
    if not values:
        raise HostError(
            "base does not count idle time, so its CUR is unknown",
            hint="set the load in packets per second, or as a share of the rate at full load (mrr)",
        )
    middle = median(values)
    spread = median(abs(value - middle) for value in values)
    error = MEDIAN_SCALE * MAD_SCALE * spread / sqrt(len(values))
    return Seen(pps, middle, error, median(map(stolen_share, turns)))


def _rate(one: Round, stages: list[StageInfo]) -> float | None:
    """Packets that base forwarded, or dropped by policy, per second that it had the CPU."""
    assert one.traffic is not None
    had = min(cpu_time_scale(lcore) for lcore in one.lcores)
    return ratio(counted_packets(stages, one.stages), one.traffic.sending_ns / 1e9 * had)


def _turns(nf: PacedNf, offered: OfferedLoad | None, *, resumed: bool = False) -> list[Round]:
    """Turns at this load once it is steady. None: closed loop. resumed: at the load of the turns before."""
    if not resumed:
        nf.offer(offered)
        warm_up(nf, TURN_MS)
    counted = [nf.counted_turn(TURN_MS) for _ in range(TURNS)]
    return [
        Round(
            launch=0,
            turn=turn,
            order=0,
            arm=Arm.BASE,
            lcores=one.lcores,
            stages=one.stages,
            traffic=one.traffic,
        )
        for turn, one in enumerate(counted)
    ]
