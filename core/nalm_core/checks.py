# SPDX-License-Identifier: Apache-2.0
"""Named tests of a run's own numbers. A failed one makes the run invalid; same_share_forwarded and
buffers_returned make it broken.

A check without the figures it needs is not made: it is missing from the list, never passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from nalm_core.counters import (
    COUNTED,
    ENDED,
    cur,
    idle_share,
    own_wall_seconds,
    packets_by_kind,
    ratio,
    working_lcores,
)
from nalm_core.defaults import (
    CONSERVED_LIMIT,
    EQ6_LIMIT,
    GENERATOR_LIMIT,
    LEAK_LIMIT,
    SHARE_LIMIT,
    STAGES_LIMIT,
    STARVED_LIMIT,
)
from nalm_core.keeping import leaked_share, vanished_share
from nalm_core.percents import share_percent
from nalm_core.report import Arm, ArmInfo, Check, InstructionCount, OutcomeKind, Round

BREAKING = frozenset({"same_share_forwarded", "buffers_returned"})
"""Checks whose failure says that head is broken, not that the measurement is."""

Arms = Mapping[Arm, ArmInfo]
RoundsByArm = Mapping[Arm, Sequence[Round]]
Shares = Mapping[OutcomeKind, float]


def run_checks(
    arms: Arms, rounds: Sequence[Round], instructions: Sequence[InstructionCount], tsc_hz: int
) -> list[Check]:
    """All checks the figures allow, in a fixed order."""
    by_arm = {arm: found for arm in arms if (found := [one for one in rounds if one.arm is arm])}
    kept = {
        arm: found
        for arm, ones in by_arm.items()
        if (found := [one for one in ones if one.set_aside is None and working_lcores(one)])
    }
    made = (
        _eq6_closes(arms, kept, tsc_hz),
        _stages_add_up(arms, by_arm, instructions),
        _packets_conserved(arms, by_arm),
        _generator_honest(arms, by_arm, kept),
        _same_share_forwarded(arms, by_arm),
        _buffers_returned(arms, by_arm),
    )
    return [check for check in made if check is not None]


def _check(name: str, found: Sequence[tuple[float, str]], limit: float, fine: str) -> Check | None:
    """The worst of the figures decides; its text says where it was found."""
    if not found:
        return None
    value, where = max(found)
    passed = value <= limit
    off = f"{where}: off by {share_percent(value, 3)}, at most {share_percent(limit, 3)} is accepted"
    return Check(name=name, passed=passed, value=value, limit=limit, message=fine if passed else off)


def _eq6_closes(arms: Arms, kept: RoundsByArm, tsc_hz: int) -> Check | None:
    """Eq. 6: pps = Freq * CUR / CPP. Marks by the TSC on one side, the wall clock on the other; nothing
    scaled."""
    found = []
    for arm, rounds in kept.items():
        off = [value for one in rounds if (value := _eq6_off(one, arms[arm], tsc_hz)) is not None]
        if off:
            found.append((median(off), str(arm)))
    return _check("eq6_closes", found, EQ6_LIMIT, "pps = Freq * CUR / CPP holds on the run's own numbers")


def _eq6_off(one: Round, arm: ArmInfo, tsc_hz: int) -> float | None:
    kinds = packets_by_kind(one, arm)
    packets = sum(kinds[kind] for kind in COUNTED)
    lcores = working_lcores(one)
    measured = ratio(packets, own_wall_seconds(lcores, tsc_hz))
    cpp = ratio(sum(lcore.busy_cycles for lcore in lcores), packets)
    used = cur(one)
    if not measured or cpp is None or used is None:
        return None
    return abs(tsc_hz * used / cpp / measured - 1)


def _stages_add_up(arms: Arms, by_arm: RoundsByArm, instructions: Sequence[InstructionCount]) -> Check | None:
    """Cycles of the own stages are the lcores' busy cycles, and no instruction count names a stage nobody
    knows."""
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


def _packets_conserved(arms: Arms, by_arm: RoundsByArm) -> Check | None:
    """Per stage that names outcomes: packets in = outcomes. For the NF: packets in = sent + dropped by
    name."""
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
        if _entered(arms[arm], rounds):
            off = vanished_share(rounds, _taken_in(arms[arm]), _ended(arms[arm]))
            found.append((off, f"{arm}, in against sent and dropped"))
    return _check("packets_conserved", found, CONSERVED_LIMIT, "packets in = sent + named drops")


def _generator_honest(arms: Arms, by_arm: RoundsByArm, kept: RoundsByArm) -> Check | None:
    """The NF took in what the generator says it sent, and hardly ever waited for it."""
    found: list[tuple[float, str]] = []
    for arm, rounds in by_arm.items():
        sent = _generated(arms[arm], rounds)
        if sent:
            off = abs(sent - _entered(arms[arm], rounds)) / sent
            said = f"{arm}: sent and taken in differ by {share_percent(off, 3)}"
            found.append((off / GENERATOR_LIMIT, said))
    for arm, rounds in kept.items():
        shares = [share for one in rounds if (share := idle_share(one)) is not None]
        if shares:
            starved = median(shares)
            said = f"{arm}: the NF waited for packets {share_percent(starved)} of its time"
            found.append((starved / STARVED_LIMIT, said))
    if not found:
        return None
    # as a share of its own limit each, so that the worst of two unlike figures can be named
    value, where = max(found)
    passed = value <= 1
    message = "the generator kept the NF busy and sent what it says" if passed else where
    return Check(name="generator_honest", passed=passed, value=value, limit=1.0, message=message)


def _same_share_forwarded(arms: Arms, by_arm: RoundsByArm) -> Check | None:
    """An arm that sends or drops another share of its packets than base does other work: broken, not fast.

    With other features than base packets may rightly end otherwise (a filter was added): then it must only
    not lose more of them, nor all.
    """
    base = _shares(arms, by_arm, Arm.BASE)
    if base is None:
        return None
    found = []
    for arm in (Arm.HEAD_AS_BASE, Arm.HEAD):
        if arm not in by_arm:
            continue
        same_features = arms[arm].run.features == arms[Arm.BASE].run.features
        shares = _shares(arms, by_arm, arm) or dict.fromkeys(OutcomeKind, 0.0)
        for name, old, new in _comparable(base, shares, same_features):
            text = f"{arm}: {name} {share_percent(new, 2)} of its packets, base {share_percent(old, 2)}"
            found.append((abs(new - old), text))
    return _check("same_share_forwarded", found, SHARE_LIMIT, "all arms forward the same share of packets")


def _buffers_returned(arms: Arms, by_arm: RoundsByArm) -> Check | None:
    """Head gives back every packet buffer. A base that leaks and a head that does not are a mend."""
    found = []
    for arm in (Arm.HEAD_AS_BASE, Arm.HEAD):
        if arm in by_arm:
            leak = leaked_share(by_arm[arm], _taken_in(arms[arm]), _ended(arms[arm]))
            if leak is not None:
                found.append((leak, f"{arm}: packet buffers held grow turn by turn, for each packet"))
    return _check("buffers_returned", found, LEAK_LIMIT, "every packet buffer was given back")


def _taken_in(arm: ArmInfo) -> Callable[[Round], int]:
    return lambda one: _entered(arm, [one])


def _ended(arm: ArmInfo) -> Callable[[Round], int]:
    def ended(one: Round) -> int:
        kinds = packets_by_kind(one, arm)
        return sum(kinds[kind] for kind in ENDED)

    return ended


def _comparable(base: Shares, arm: Shares, same_features: bool) -> Iterator[tuple[str, float, float]]:
    """(what, base's share, the arm's share) of what must be alike."""
    if same_features:
        yield "sent", base[OutcomeKind.SENT], arm[OutcomeKind.SENT]
        yield "dropped by policy", base[OutcomeKind.POLICY], arm[OutcomeKind.POLICY]
        return
    yield "lost for want of a resource", base[OutcomeKind.LOST], arm[OutcomeKind.LOST]
    counted_base, counted_arm = (sum(shares[kind] for kind in COUNTED) for shares in (base, arm))
    if counted_arm == 0:
        yield "sent or dropped by policy", counted_base, counted_arm


def _shares(arms: Arms, by_arm: RoundsByArm, arm: Arm) -> Shares | None:
    """What became of the packets taken in, as shares of them; None if none were."""
    rounds = by_arm.get(arm)
    entered = _entered(arms[arm], rounds) if rounds else 0
    if not rounds or not entered:
        return None
    return {kind: packets / entered for kind, packets in _kinds(arms[arm], rounds).items()}


def _kinds(arm: ArmInfo, rounds: Sequence[Round]) -> dict[OutcomeKind, int]:
    found = [packets_by_kind(one, arm) for one in rounds]
    return {kind: sum(kinds[kind] for kinds in found) for kind in OutcomeKind}


def _handed(rounds: Sequence[Round], stage: str) -> int:
    return sum(one.stages[stage].packets for one in rounds if stage in one.stages)


def _entered(arm: ArmInfo, rounds: Sequence[Round]) -> int:
    """Packets handed to the NF's first own stage."""
    first = next((stage.name for stage in arm.stages if not stage.apart), None)
    return 0 if first is None else _handed(rounds, first)


def _generated(arm: ArmInfo, rounds: Sequence[Round]) -> int:
    """Packets that the generator, a stage apart before the first own one, says it passed on.

    0 if traffic comes from elsewhere. Without outcomes of its own it passed on all it was handed.
    """
    first = next(iter(arm.stages), None)
    if first is None or not first.apart:
        return 0
    passed = {name for name, kind in first.outcomes.items() if kind in (OutcomeKind.PASS, OutcomeKind.SENT)}
    if not passed:
        return _handed(rounds, first.name)
    counters = [one.stages[first.name] for one in rounds if first.name in one.stages]
    return sum(packets for one in counters for name, packets in one.outcomes.items() if name in passed)
