# SPDX-License-Identifier: Apache-2.0
"""The search for the load at which base has a CUR, on an NF whose CUR at each load is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from nalm_agent.config.load import LoadConfig
from nalm_agent.host.cores import Cores
from nalm_agent.measure import found_load as searching
from nalm_agent.measure.found_load import CUR_TOLERANCE, BaseUnderLoad, found_load
from nalm_agent.measure.rounds import ArmRun
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.turns import TurnCounters
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.search import Loads
from nalm_agent.trials.trial_nf import NfRun
from nalm_core.rates.rate_report import Ended, Search
from nalm_core.report.offered_load import OfferedLoad, RoundTraffic
from nalm_core.report.run_report import (
    Arm,
    Build,
    LcoreCounters,
    OutcomeKind,
    RunDefinition,
    StageCounters,
    StageInfo,
)

TURN_NS = 20_000_000
FULL = 1_000_000


@dataclass
class KnownNf:
    """In place of an NF's process."""

    cur_at: Callable[[float], float | None]
    """None: it does not count idle time."""
    stolen: Callable[[], float] = lambda: 0.0
    """Share of a turn that other programs take; such a turn shows a CUR of 1."""
    dropped: int = 0
    """Packets dropped for want of room for each one forwarded."""
    stages: ClassVar = [StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "full": OutcomeKind.LOST})]
    offered: OfferedLoad | None = None
    loads: list[int | None] = field(default_factory=list)

    def __enter__(self) -> KnownNf:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait_ready(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def offer(self, offered: OfferedLoad | None) -> None:
        self.offered = offered
        self.loads.append(None if offered is None else offered.pps)

    def counted_turn(self, milliseconds: float) -> TurnCounters:
        pps = FULL if self.offered is None else self.offered.pps
        busy = 1.0 if self.offered is None else self.cur_at(pps)
        stolen = self.stolen()
        if stolen and busy is not None:
            busy = 1.0
        due = round(pps * TURN_NS / 1e9)
        lcore = LcoreCounters(
            lcore=0,
            packets=due,
            busy_cycles=TURN_NS if busy is None else round(busy * TURN_NS),
            idle_cycles=None if busy is None else round((1 - busy) * TURN_NS),
            apart_cycles=0,
            turn_wall_ns=TURN_NS,
            turn_cpu_ns=round((1 - stolen) * TURN_NS),
            involuntary_switches=0,
            voluntary_switches=0,
            minor_faults=0,
            major_faults=0,
        )
        outcomes = {"sent": due, "full": due * self.dropped}
        stage = StageCounters(cycles=0, packets=due, batches=due, outcomes=outcomes)
        return TurnCounters(
            [lcore],
            {"tx": stage},
            traffic=RoundTraffic(sending_ns=TURN_NS, due=due, sent=due * (1 + self.dropped), late=0),
        )


@pytest.fixture
def base(tmp_path: Path, work: WorkDir) -> BaseUnderLoad:
    definition = RunDefinition(features=[], command=["nf"], traffic="made")
    build = Build(commit="a" * 40, tree="t", code_digest="code", compiler="gcc")
    run = ArmRun(Arm.BASE, NfStart(["nf"], ready_seconds=1))
    return BaseUnderLoad(run, build, Cores((0,)), definition, "vm", Home(tmp_path / "home"), work, Silent())


def known(
    monkeypatch: pytest.MonkeyPatch,
    cur_at: Callable[[float], float | None],
    stolen: Callable[[], float] = lambda: 0.0,
) -> KnownNf:
    nf = KnownNf(cur_at, stolen)
    monkeypatch.setattr(searching, "PacedNf", lambda *_, **__: nf)
    return nf


@pytest.mark.parametrize("bend", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("target", [0.1, 0.5, 0.85])
def test_the_load_at_a_cur_is_found_and_kept(
    target: float, bend: float, base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    nf = known(monkeypatch, lambda pps: (pps / FULL) ** bend)
    found = found_load(LoadConfig(cur=target), base)
    assert abs((found.pps / FULL) ** bend - target) <= CUR_TOLERANCE
    requested = len(nf.loads)
    assert found_load(LoadConfig(cur=target), base) == found
    assert len(nf.loads) == requested
    assert found_load(LoadConfig(cur=target, arrivals="poisson"), base).how.startswith("base has a CUR of")
    assert len(nf.loads) > requested


@pytest.mark.parametrize("seed", range(8))
def test_a_noisy_cur_does_not_hide_the_load(
    seed: int, base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = Random(seed)
    known(monkeypatch, lambda pps: min(1.0, max(0.0, pps / FULL + noise.gauss(0, 0.1))))
    for target in (0.3, 0.5, 0.7):
        assert found_load(LoadConfig(cur=target), base).pps / FULL == pytest.approx(target, abs=0.1)


def test_turns_that_other_programs_disturb_do_not_move_the_load(
    base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of five turns lose a quarter of their time: their CUR says nothing."""
    turn = Random(5)
    known(monkeypatch, lambda pps: pps / FULL, lambda: 0.25 * (turn.random() < 0.4))
    for target in (0.3, 0.5, 0.7):
        assert found_load(LoadConfig(cur=target), base).pps / FULL == pytest.approx(target, abs=0.011)


def test_turns_that_are_all_disturbed_are_said(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = Random(5)
    known(monkeypatch, lambda _: noise.random(), lambda: 0.25 if noise.random() < 0.9 else 0.0)
    with pytest.raises(HostError, match=r"after 3\d looks .* other programs took 25\.0 % of the time"):
        found_load(LoadConfig(cur=0.85), base)


def test_a_share_of_full_load(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    nf = known(monkeypatch, lambda _: 0.5)
    assert found_load(LoadConfig(mrr=0.25), base) == (250_000, "0.25 of base's 1,000,000 at full load")
    assert set(nf.loads) == {None}


def test_full_load_is_what_is_forwarded(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch, lambda _: 0.5).dropped = 3
    assert found_load(LoadConfig(mrr=0.25), base).pps == 250_000


class NoTrials:
    """In place of an NF under trials, whose searches are known."""

    info = None

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> NoTrials:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def finish(self) -> None:
        pass


def searches(monkeypatch: pytest.MonkeyPatch, *lower_pps: float | None) -> list[Loads]:
    """One launch after another finds these, or was disturbed (None). Returns the ranges of the searches."""
    left, ranges = list(lower_pps), list[Loads]()

    def search(_: object, loads: Loads, *__: object) -> list[Search]:
        ranges.append(loads)
        lower = left.pop(0)
        found = Search(
            goal="ndr",
            loss_ratio=0,
            least_pps=loads.least,
            greatest_pps=loads.greatest,
            lower_pps=lower,
            upper_pps=None if lower is None else lower * 1.02,
            throughput_pps=lower,
            ended=Ended.DISTURBED if lower is None else Ended.FOUND,
            reason="6 trials in a row were invalid" if lower is None else None,
        )
        return [found]

    monkeypatch.setattr(searching, "TrialNf", NoTrials)
    monkeypatch.setattr(searching, "search", search)
    return ranges


def test_a_share_of_ndr_is_of_the_median_launch_and_kept(
    base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, lambda _: 0.5)
    ranges = searches(monkeypatch, 700_000, None, 800_000)
    expected = (375_000, "0.5 of base's NDR of 750,000")
    assert found_load(LoadConfig(ndr=0.5), base) == expected
    assert ranges == [Loads(least=0.01 * FULL, greatest=1.2 * FULL)] * 3
    assert found_load(LoadConfig(ndr=0.5), base) == expected
    assert len(ranges) == 3


def test_an_ndr_that_was_not_found_is_said(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch, lambda _: 0.5)
    searches(monkeypatch, None, None, None)
    with pytest.raises(HostError, match="NDR was not found in 3 launches: 6 trials in a row were invalid"):
        found_load(LoadConfig(ndr=0.5), base)


def test_a_cur_that_no_load_has_is_an_error_and_is_not_kept(
    base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    nf = known(monkeypatch, lambda pps: 0.2 if pps < 400_000 else 0.9)
    for _ in range(2):
        requested = len(nf.loads)
        with pytest.raises(HostError, match=r"base's CUR jumps from 0\.200 at 399,\d+ packets"):
            found_load(LoadConfig(cur=0.5), base)
        assert len(nf.loads) > requested


def test_a_generator_slower_than_base_is_said(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch, lambda pps: min(0.4, pps / FULL))
    assert found_load(LoadConfig(cur=0.3), base).pps / FULL == pytest.approx(0.3, abs=0.011)
    with pytest.raises(HostError, match=r"base's CUR is 0\.400 at 1,\d+,\d+ packets/s") as caught:
        found_load(LoadConfig(cur=0.5), base)
    assert "its generator is slower" in (caught.value.hint or "")


def test_a_base_without_idle_time_is_said(base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch, lambda _: None)
    with pytest.raises(HostError, match="base does not count idle time, so its CUR is unknown"):
        found_load(LoadConfig(cur=0.5), base)


class StartedError(Exception):
    """Has the run with which the search starts an NF."""


def test_the_search_for_ndr_starts_the_nf_as_launches_do(
    base: BaseUnderLoad, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, lambda pps: pps / FULL)

    def start(run: NfRun, *, launch: int) -> None:
        raise StartedError(run)

    monkeypatch.setattr(searching, "TrialNf", start)
    how = replace(base.run.how, environment={"NF_CONFIG": "edge.toml"}, setup=["ctl", "ports"])
    with pytest.raises(StartedError) as raised:
        found_load(LoadConfig(ndr=0.5), replace(base, run=replace(base.run, how=how)))
    (started,) = raised.value.args
    assert started.how == how
