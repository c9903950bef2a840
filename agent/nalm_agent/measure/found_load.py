# SPDX-License-Identifier: Apache-2.0
"""Searches the load of a scenario on base: its rate at full load, and the rate at which it has a CUR.

The store keeps what was found for a build, its run definition and the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from nalm_core.report.counters import cpu_time_scale, cur, ratio
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.rounds import is_clean
from nalm_core.report.run_report import Arm, Round, RunDefinition

from nalm_agent.config.load import LoadConfig
from nalm_agent.measure.rounds import ArmRun, blame, launch_paced, warm_up
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address

LOADS = "loads"
FULL_LOAD_LAUNCHES = 3
TURN_MS = 20.0
TURNS = 10
"""Turns at each load of a search."""
CUR_TOLERANCE = 0.01
MOST_TURNS = 40
STEPS = 24
"""Loads that a search for a CUR tries, at most."""
EDGE = 0.1
"""Least part of the interval that a step leaves on either side."""
NARROW, WIDER = 0.02, 1.25
"""Relative width at which an interval is widened, and the factor at each end."""


class Seen(NamedTuple):
    """CUR at a load."""

    pps: float
    cur: float


class Found(NamedTuple):
    """A load that was found on base."""

    pps: int
    how: str
    """For readers."""


@dataclass(frozen=True)
class BaseUnderLoad:
    """Base, as loads are searched on it."""

    run: ArmRun
    code: str
    """Digest of its build."""
    definition: RunDefinition
    host_class: str
    home: Home
    work: WorkDir
    progress: Progress

    def key(self, load: LoadConfig) -> str:
        """Address of the load in the store."""
        definition = self.definition.model_dump(mode="json")
        spec = load.model_dump(mode="json", exclude_none=True)
        return address(self.code, definition, self.run.lcores, self.host_class, spec)


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
    launches = [_full_load(base, launch) for launch in range(FULL_LOAD_LAUNCHES if load.mrr else 1)]
    full = median(launches)
    if load.mrr is not None:
        return Found(max(1, round(full * load.mrr)), f"{load.mrr:g} of base's {full:,.0f} at full load")
    assert load.cur is not None
    return _at_cur(load, load.cur, full, base)


def _full_load(base: BaseUnderLoad, launch: int) -> float:
    """Packets per second of a process at full load, without the time that other programs took."""
    with launch_paced(base.run, base.work, None, seed=launch) as nf:
        nf.wait_ready()
        rates = [rate for one in _turns(nf, None) if (rate := _rate(one)) is not None]
        nf.finish()
    if not rates:
        raise HostError(
            "base sent nothing at full load, so its load cannot be found",
            hint="free a core and measure again, or set the load in packets per second",
        )
    return median(rates)


def _at_cur(load: LoadConfig, target: float, full: float, base: BaseUnderLoad) -> Found:
    """Narrows the interval of loads, at the place that a straight line between its ends suggests.

    A disturbed look can leave the load outside of the interval. One that has become narrow is therefore
    widened, and looks become longer.
    """
    low, high = Seen(0.0, 0.0), Seen(full, 1.0)
    turns = TURNS
    with launch_paced(base.run, base.work, None, seed=0) as nf:
        nf.wait_ready()
        for step in range(STEPS):
            if high.pps <= low.pps * (1 + NARROW):
                low, high = Seen(low.pps / WIDER, low.cur), Seen(high.pps * WIDER, high.cur)
                turns = min(2 * turns, MOST_TURNS)
            pps = _between(low, high, target)
            base.progress.step("load", f"{load.name}: step {step + 1}, {pps:,} packets/s", 0.11)
            seen = _cur_at(nf, _at_rate(load, pps), turns)
            if seen is None:
                break
            if abs(seen - target) <= CUR_TOLERANCE:
                nf.finish()
                return Found(pps, f"base has a CUR of {seen:.3f}")
            if seen < target:
                low = Seen(float(pps), seen)
            else:
                high = Seen(float(pps), seen)
        nf.finish()
    raise HostError(
        f"no load was found at which base has a CUR of {target:g} ± {CUR_TOLERANCE:g}: it was {low.cur:.3f} "
        f"at {low.pps:,.0f} packets/s, {high.cur:.3f} at {high.pps:,.0f}",
        hint="free the cores and measure again, or set the load in packets per second",
    )


def _between(low: Seen, high: Seen, target: float) -> int:
    share = (target - low.cur) / (high.cur - low.cur)
    return max(1, round(low.pps + (high.pps - low.pps) * min(max(share, EDGE), 1 - EDGE)))


def _at_rate(load: LoadConfig, pps: int) -> OfferedLoad:
    """The load at this rate."""
    return OfferedLoad(name=load.name, pps=pps, arrivals=load.arrivals)


def _cur_at(nf: PacedNf, offered: OfferedLoad, turns: int) -> float | None:
    """CUR, median turn; about 1 for a load that the NF does not carry. None if its figures do not give it."""
    rounds = _turns(nf, offered, turns)
    clean = [one for one in rounds if is_clean(one)] or rounds
    values = [value for one in clean if (value := cur(one)) is not None]
    return median(values) if values else None


def _rate(one: Round) -> float | None:
    assert one.traffic is not None
    had = min(cpu_time_scale(lcore) for lcore in one.lcores)
    return ratio(one.traffic.sent, one.traffic.sending_ns / 1e9 * had)


def _turns(nf: PacedNf, offered: OfferedLoad | None, turns: int = TURNS) -> list[Round]:
    """Turns at this load once it is steady. None: closed loop."""
    nf.offer(offered)
    warm_up(nf, TURN_MS)
    counted = [nf.counted_turn(TURN_MS) for _ in range(turns)]
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
