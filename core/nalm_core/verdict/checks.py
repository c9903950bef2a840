# SPDX-License-Identifier: Apache-2.0
"""Checks of a run's own figures. A failed check makes the run invalid; those of BREAKING make it broken.

A check without its figures is not made: it is missing from the list, not passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from nalm_core.report.counters import (
    COUNTED,
    ENDED,
    cur,
    idle_share,
    own_stages,
    own_wall_seconds,
    packets_by_kind,
    ratio,
    working_lcores,
)
from nalm_core.report.defaults import (
    CONSERVED_LIMIT,
    EQ6_LIMIT,
    GENERATOR_LIMIT,
    LEAK_LIMIT,
    SHARE_LIMIT,
    STAGES_LIMIT,
    STARVED_LIMIT,
)
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    BufferLook,
    Check,
    ExpectedOutcome,
    InstructionCount,
    OutcomeKind,
    Replay,
    Round,
    RunReport,
)
from nalm_core.text.percents import share_percent
from nalm_core.verdict.load_checks import load_carried, load_offered
from nalm_core.verdict.packet_outcomes import OutcomeChange, facts, outcome_changes, replayed
from nalm_core.verdict.retained import leaked_share, look_leaks, vanished_share

BREAKING = frozenset({"same_share_forwarded", "buffers_returned", "load_carried"})
"""Checks whose failure means that head is broken, not the measurement."""

Arms = Mapping[Arm, ArmInfo]
RoundsByArm = Mapping[Arm, Sequence[Round]]
Shares = Mapping[OutcomeKind, float]


@dataclass(frozen=True, slots=True)
class Beside:
    """A run's figures of packets in addition to the rounds."""

    replays: Sequence[Replay] = ()
    looks: Sequence[BufferLook] = ()
    expected: Sequence[ExpectedOutcome] = ()
    changed_functions: Sequence[str] = ()
    changes: Sequence[OutcomeChange] | None = None
    """All changes of outcomes, if they are known already."""


def checks_of(report: RunReport, changes: Sequence[OutcomeChange] | None = None) -> list[Check]:
    """All checks that a report's figures allow, in a fixed order. changes: `changes_of(report)`, if it is
    known already."""
    beside = Beside(
        report.replays, report.buffer_looks, report.expected_outcomes, report.changed_functions or (), changes
    )
    return run_checks(report.arms, report.rounds, report.instructions, report.host.tsc_hz, beside)


def all_checks(report: RunReport, changes: Sequence[OutcomeChange] | None = None) -> list[Check]:
    """The report's checks, and checks computed here that it lacks or passed wrongly. Those of trials are the
    report's own. changes: as in `checks_of`."""
    if report.rates is not None:
        return report.checks
    computed = checks_of(report, changes)
    failed = {check.name for check in report.checks if not check.passed}
    again = {check.name: check for check in computed if check.name not in failed}
    return [again.pop(check.name, check) for check in report.checks] + list(again.values())


def changes_of(report: RunReport) -> list[OutcomeChange]:
    """All changes of outcomes in a report."""
    return outcome_changes(report.arms, report.replays, report.rounds, report.expected_outcomes)


def run_checks(
    arms: Arms,
    rounds: Sequence[Round],
    instructions: Sequence[InstructionCount],
    tsc_hz: int,
    beside: Beside | None = None,
) -> list[Check]:
    """All checks that the figures allow, in a fixed order."""
    beside = beside or Beside()
    by_arm = {arm: found for arm in arms if (found := [one for one in rounds if one.arm is arm])}
    kept = {
        arm: found
        for arm, ones in by_arm.items()
        if (found := [one for one in ones if one.set_aside is None and working_lcores(one)])
    }
    changes = beside.changes
    if changes is None:
        changes = outcome_changes(arms, beside.replays, rounds, beside.expected)
    packets = _Packets(arms, by_arm)
    made = (
        _eq6_closes(kept, packets, tsc_hz),
        _stages_add_up(arms, by_arm, instructions),
        _packets_conserved(arms, by_arm, packets),
        _generator_honest(arms, by_arm, kept),
        load_offered(arms, kept),
        load_carried(kept),
        _same_share_forwarded(arms, by_arm, changes, beside, packets),
        _buffers_returned(by_arm, beside.looks, packets, _Holders(arms, changes, instructions, beside)),
    )
    return [check for check in made if check is not None]


class _Packets:
    """Packets of each round, counted once for all checks."""

    def __init__(self, arms: Arms, by_arm: RoundsByArm) -> None:
        self._kinds: dict[int, dict[OutcomeKind, int]] = {}
        self._entered: dict[int, int] = {}
        for arm, rounds in by_arm.items():
            own = own_stages(arms[arm])
            for one in rounds:
                first = None if own.first is None else one.stages.get(own.first)
                self._entered[id(one)] = 0 if first is None else first.packets
                self._kinds[id(one)] = packets_by_kind(one, own)

    def entered(self, one: Round) -> int:
        """Packets handed to the NF's first own stage."""
        return self._entered[id(one)]

    def counted(self, one: Round) -> int:
        """CPP's denominator."""
        return sum(self._kinds[id(one)][kind] for kind in COUNTED)

    def ended(self, one: Round) -> int:
        """Packets with an outcome that ends their way through the NF."""
        return sum(self._kinds[id(one)][kind] for kind in ENDED)

    def shares(self, rounds: Sequence[Round]) -> Shares | None:
        """Outcomes as shares of the packets taken in; None without packets."""
        entered = sum(self.entered(one) for one in rounds)
        if not entered:
            return None
        return {kind: sum(self._kinds[id(one)][kind] for one in rounds) / entered for kind in OutcomeKind}


def _check(name: str, found: Sequence[tuple[float, str]], limit: float, fine: str) -> Check | None:
    """A check by the worst figure, whose text names its place."""
    if not found:
        return None
    value, where = max(found)
    passed = value <= limit
    off = f"{where}: off by {share_percent(value, 3)}, at most {share_percent(limit, 3)} is accepted"
    return Check(name=name, passed=passed, value=value, limit=limit, message=fine if passed else off)


def _eq6_closes(kept: RoundsByArm, packets: _Packets, tsc_hz: int) -> Check | None:
    """Eq. 6: pps = Freq * CUR / CPP. One side uses TSC marks, the other the wall clock; neither is scaled."""
    found = []
    for arm, rounds in kept.items():
        off = [value for one in rounds if (value := _eq6_off(one, packets.counted(one), tsc_hz)) is not None]
        if off:
            found.append((median(off), str(arm)))
    return _check("eq6_closes", found, EQ6_LIMIT, "pps = Freq * CUR / CPP holds on the run's own numbers")


def _eq6_off(one: Round, packets: int, tsc_hz: int) -> float | None:
    lcores = working_lcores(one)
    measured = ratio(packets, own_wall_seconds(lcores, tsc_hz))
    cpp = ratio(sum(lcore.busy_cycles for lcore in lcores), packets)
    used = cur(one)
    if not measured or cpp is None or used is None:
        return None
    return abs(tsc_hz * used / cpp / measured - 1)


def _stages_add_up(arms: Arms, by_arm: RoundsByArm, instructions: Sequence[InstructionCount]) -> Check | None:
    """The cycles of own stages add up to the lcores' busy cycles, and instruction counts name only known
    stages."""
    found = []
    for arm, rounds in by_arm.items():
        own = {stage.name for stage in arms[arm].stages if not stage.apart}
        busy = sum(lcore.busy_cycles for one in rounds for lcore in one.lcores)
        staged = sum(s.cycles for one in rounds for name, s in one.stages.items() if name in own)
        if (off := ratio(abs(staged - busy), busy)) is not None:
            found.append((off, str(arm)))
    for count in instructions:
        known = {stage.name for stage in arms[count.arm].stages} if count.arm in arms else set()
        strange = sorted(count.stages.keys() - known)
        if strange:
            found.append((1.0, f"{count.arm}: instructions of unknown stages {', '.join(strange)}"))
    return _check("stages_add_up", found, STAGES_LIMIT, "stages add up to the chain")


def _packets_conserved(arms: Arms, by_arm: RoundsByArm, packets: _Packets) -> Check | None:
    """For each stage with outcomes: packets in = outcomes. For the NF: packets in = sent + named drops."""
    found = []
    for arm, rounds in by_arm.items():
        for stage in arms[arm].stages:
            handed = _handed(rounds, stage.name)
            if stage.outcomes and not stage.apart and handed:
                ended = sum(
                    sum(one.stages[stage.name].outcomes.values())
                    for one in rounds
                    if stage.name in one.stages
                )
                found.append((abs(handed - ended) / handed, f"{arm}, stage {stage.name}"))
        if any(packets.entered(one) for one in rounds):
            off = vanished_share(rounds, packets.entered, packets.ended)
            found.append((off, f"{arm}, packets in and packets sent or dropped"))
    return _check("packets_conserved", found, CONSERVED_LIMIT, "packets in = sent + named drops")


def _generator_honest(arms: Arms, by_arm: RoundsByArm, kept: RoundsByArm) -> Check | None:
    """The NF received what the generator reports as sent, and at full load hardly ever waited for packets."""
    found: list[tuple[float, str]] = []
    for arm, rounds in by_arm.items():
        sent = _generated(arms[arm], rounds)
        if sent:
            off = abs(sent - _entered(arms[arm], rounds)) / sent
            said = f"{arm}: packets sent and taken in differ by {share_percent(off, 3)}"
            found.append((off / GENERATOR_LIMIT, said))
    for arm, rounds in kept.items():
        closed = [one for one in rounds if one.traffic is None]
        shares = [share for one in closed if (share := idle_share(one)) is not None]
        if shares:
            starved = median(shares)
            said = f"{arm}: the NF waited for packets {share_percent(starved)} of its time"
            found.append((starved / STARVED_LIMIT, said))
    if not found:
        return None
    # each as a share of its own limit, so that the worse of two different figures can be named
    value, where = max(found)
    passed = value <= 1
    fine = "the generator sent what it reports"
    if any(one.traffic is None for rounds in kept.values() for one in rounds):
        fine = "the generator kept the NF busy and sent what it reports"
    message = fine if passed else where
    return Check(name="generator_honest", passed=passed, value=value, limit=1.0, message=message)


def _same_share_forwarded(
    arms: Arms, by_arm: RoundsByArm, changes: Sequence[OutcomeChange], beside: Beside, packets: _Packets
) -> Check | None:
    """An arm is broken, not fast, if it loses packets that base forwards or does other work than base.

    With other features than base, outcomes may differ (a filter was added): then the arm must only not lose
    more packets for lack of a resource, or all packets.
    """
    lost = [one for one in changes if one.lost and one.expected is None]
    if lost:
        said = f"packets that base forwards are lost: {facts(lost)}"
        return Check(name="same_share_forwarded", passed=False, value=lost[0].growth, limit=0.0, message=said)
    found = _other_shares(arms, by_arm, changes, packets)
    exactly = [arm for arm in arms if arm is not Arm.BASE and replayed(beside.replays, arm)]
    if not found and not exactly:
        return None
    if changes:
        fine = f"no packet that base forwards is lost unexpectedly; other outcomes changed: {facts(changes)}"
    elif exactly and len(exactly) == len(arms) - 1:
        fine = "the same packets have the same outcomes in all arms"
    else:
        fine = f"shares of packets forwarded differ by at most {share_percent(SHARE_LIMIT)} between the arms"
    return _check("same_share_forwarded", found or [(0.0, "")], SHARE_LIMIT, fine)


def _other_shares(
    arms: Arms, by_arm: RoundsByArm, changes: Sequence[OutcomeChange], packets: _Packets
) -> list[tuple[float, str]]:
    """Differences of each arm's shares from base's in the rounds, beyond declared ones."""
    base = packets.shares(by_arm.get(Arm.BASE, ()))
    found = []
    for arm in (Arm.HEAD_AS_BASE, Arm.HEAD) if base is not None else ():
        if arm not in by_arm:
            continue
        assert base is not None
        declared = sum(one.growth for one in changes if one.arm is arm and one.expected is not None)
        same_features = arms[arm].run.features == arms[Arm.BASE].run.features
        shares = packets.shares(by_arm[arm]) or dict.fromkeys(OutcomeKind, 0.0)
        for name, old, new in _comparable(base, shares, same_features):
            text = f"{arm}: {name} {share_percent(new, 2)} of its packets, base {share_percent(old, 2)}"
            found.append((max(0.0, abs(new - old) - declared), text))
    return found


def _buffers_returned(
    by_arm: RoundsByArm, looks: Sequence[BufferLook], packets: _Packets, holders: _Holders
) -> Check | None:
    """Head returns every packet buffer that base returns. A base that leaks and a head that does not is a
    fix."""
    base = _leak(by_arm, looks, packets, Arm.BASE) or 0.0
    found = []
    for arm in (Arm.HEAD_AS_BASE, Arm.HEAD):
        if (leak := _leak(by_arm, looks, packets, arm)) is not None:
            seen = _levels_seen(by_arm.get(arm, ()), [one for one in looks if one.arm is arm])
            text = f"{arm}: held packet buffers grow with each turn{seen}; {holders.of(arm)}; for each packet"
            found.append((max(0.0, leak - base), text))
    return _check("buffers_returned", found, LEAK_LIMIT, "every packet buffer was returned")


@dataclass(frozen=True, slots=True)
class _Holders:
    """Finds the stage that keeps packet buffers, by the balance of outcomes."""

    arms: Arms
    changes: Sequence[OutcomeChange]
    instructions: Sequence[InstructionCount]
    beside: Beside

    def of(self, arm: Arm) -> str:
        """The stage as text."""
        out_of_balance = [one for one in self.changes if one.arm is arm and one.unbalanced]
        if out_of_balance:
            return f"held by {out_of_balance[0].stage}: {facts(out_of_balance)}"
        own = [stage for stage in self.arms[arm].stages if not stage.apart]
        if not all(stage.outcomes for stage in own):
            return "the stage that holds them is unknown: not every stage counts the outcomes of its packets"
        text = (
            "the stage that holds them is unknown: every packet has an outcome, so a reference or a copy is "
            "kept"
        )
        if stages := self._stages_that_changed(arm):
            return f"{text}; changed functions run in {', '.join(stages)}"
        some = self.beside.changed_functions[:FUNCTIONS_SAID]
        return f"{text}; changed functions: {', '.join(some)}" if some else text

    def _stages_that_changed(self, arm: Arm) -> list[str]:
        changed, apart = set(self.beside.changed_functions), _apart(self.arms[arm])
        stages = (
            stage
            for count in self.instructions
            if count.arm is arm
            for stage, functions in count.functions.items()
            if stage not in apart and any(function.name in changed for function in functions)
        )
        return list(dict.fromkeys(stages))


def _apart(arm: ArmInfo) -> frozenset[str]:
    return frozenset(stage.name for stage in arm.stages if stage.apart)


def _leak(by_arm: RoundsByArm, looks: Sequence[BufferLook], packets: _Packets, arm: Arm) -> float | None:
    """Buffers not returned per packet. A longer look is more reliable than launches."""
    longer = [look_leaks(look) for look in looks if look.arm is arm]
    if arm not in by_arm or longer:
        return max(longer, default=None)
    return leaked_share(by_arm[arm], packets.entered, packets.ended)


def _levels_seen(rounds: Sequence[Round], looks: Sequence[BufferLook]) -> str:
    """First and last levels of a longer look, or else of the first launch."""
    first = min((one.launch for one in rounds), default=0)
    held = [one.buffers_in_use for one in rounds if one.launch == first and one.buffers_in_use is not None]
    levels = looks[0].buffers if looks else held
    return f" ({', '.join(map(str, levels[:3]))} … {levels[-1]})" if len(levels) > LEVELS_SAID else ""


FUNCTIONS_SAID = 5
"""Number of changed functions named with a leak."""
LEVELS_SAID = 3
"""Number of levels of held buffers that are printed in full."""


def _comparable(base: Shares, arm: Shares, same_features: bool) -> Iterator[tuple[str, float, float]]:
    """(name, base's share, the arm's share) of all shares that must be equal."""
    if same_features:
        yield "sent", base[OutcomeKind.SENT], arm[OutcomeKind.SENT]
        yield "dropped by policy", base[OutcomeKind.POLICY], arm[OutcomeKind.POLICY]
        return
    yield "lost for lack of a resource", base[OutcomeKind.LOST], arm[OutcomeKind.LOST]
    counted_base, counted_arm = (sum(shares[kind] for kind in COUNTED) for shares in (base, arm))
    if counted_arm == 0:
        yield "sent or dropped by policy", counted_base, counted_arm


def _handed(rounds: Sequence[Round], stage: str) -> int:
    return sum(one.stages[stage].packets for one in rounds if stage in one.stages)


def _entered(arm: ArmInfo, rounds: Sequence[Round]) -> int:
    """Packets handed to the NF's first own stage."""
    first = next((stage.name for stage in arm.stages if not stage.apart), None)
    return 0 if first is None else _handed(rounds, first)


def _generated(arm: ArmInfo, rounds: Sequence[Round]) -> int:
    """Packets that the generator, a separate stage before the first own one, reports as passed on.

    0 if the NF has no generator. A generator without outcomes passed on all its packets.
    """
    first = next(iter(arm.stages), None)
    if first is None or not first.apart:
        return 0
    passed = {name for name, kind in first.outcomes.items() if kind in (OutcomeKind.PASS, OutcomeKind.SENT)}
    if not passed:
        return _handed(rounds, first.name)
    counters = [one.stages[first.name] for one in rounds if first.name in one.stages]
    return sum(packets for one in counters for name, packets in one.outcomes.items() if name in passed)
