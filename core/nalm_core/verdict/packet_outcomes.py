# SPDX-License-Identifier: Apache-2.0
"""Differences in the outcomes of packets between base and head: exact if the same packets were replayed and
both arms repeat their own figures, otherwise tested over launches.

A figure repeats if all replays of an arm have it; replays differ in their seeds, in the layout of memory, and
in the clock. A difference between two figures that repeat is a fact. Otherwise launches are the random units:
the difference of an outcome's share, launch by launch, is tested with Student's t, with a variance that is
never less than that of independent packets (a quasi-binomial model). The clock ends turns, so the slower arm
sees less of the trace: an outcome that base has, too, counts as lost only from DOUBLED times base's share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from math import sqrt
from statistics import stdev

from nalm_core.report.defaults import DOUBLED, MIN_LAUNCHES, OUTCOME_ALPHA, SHARE_LIMIT
from nalm_core.report.run_report import Arm, ArmInfo, ExpectedOutcome, Model, OutcomeKind, Replay, Round
from nalm_core.stats.quantiles import t_cdf
from nalm_core.text.percents import share_percent

MIN_REPLAYS = 2
"""Least number of replays of an arm that shows whether its figures repeat."""
UNNAMED = "(no outcome)"
"""Stands for packets of a stage without an outcome."""
NOT_SEEN_AGAIN = "(passed on, not seen again)"
"""Stands for packets that a stage passed on and the next one never received."""
MAX_SAID = 3
"""Number of facts in one sentence; further ones are counted."""
_WORDS = {UNNAMED: "without an outcome", NOT_SEEN_AGAIN: "passed on and not seen again"}
DROPS = frozenset({OutcomeKind.POLICY, OutcomeKind.LOST, OutcomeKind.BAD})
Key = tuple[str, str]
"""Stage and outcome."""


class OutcomeChange(Model):
    """One outcome of a stage that is another share of the packets in head than in base."""

    arm: Arm
    stage: str
    outcome: str
    base_packets: int
    """Packets with this outcome in base, of base_taken_in."""
    head_packets: int
    base_taken_in: int
    head_taken_in: int
    exact: bool
    """True: the same packets differ in every replay. False: a test over launches shows it."""
    lost: bool
    """True if base forwards these packets."""
    expected: str | None = None
    """The reason that head's commits declare; None if they declare none, or less growth."""

    @property
    def growth(self) -> float:
        """Change of the outcome's share of the packets taken in."""
        return self.head_packets / self.head_taken_in - self.base_packets / self.base_taken_in

    @property
    def unbalanced(self) -> bool:
        """True if these packets were taken in and have no outcome: the stage, or a later one, has them."""
        return self.outcome in _WORDS and self.growth > 0

    def text(self) -> str:
        """A fact: `nat: 512 of 204,800 packets `no_port` on head, 0 on base`."""
        what = _WORDS.get(self.outcome, f"`{self.outcome}`")
        if self.exact:
            same = self.base_taken_in == self.head_taken_in
            other = f"{self.base_packets:,}" + ("" if same else f" of {self.base_taken_in:,}")
            said = (
                f"{self.stage}: {self.head_packets:,} of {self.head_taken_in:,} packets {what} on "
                f"{self.arm}, {other} on base"
            )
        else:
            shares = (
                share_percent(self.head_packets / self.head_taken_in, 3),
                share_percent(self.base_packets / self.base_taken_in, 3),
            )
            said = f"{self.stage}: {shares[0]} of the packets {what} on {self.arm}, {shares[1]} on base"
        return said + (f" (expected: {self.expected})" if self.expected is not None else "")


@dataclass(frozen=True, slots=True)
class Tally:
    """The packets of one replay or one launch of an arm, in its own stages."""

    taken_in: int
    outcomes: Mapping[Key, int]
    under_way: int
    grew_throughout: bool
    """True if packets under way grew in every part: they end without an outcome."""


def outcome_changes(
    arms: Mapping[Arm, ArmInfo],
    replays: Sequence[Replay],
    rounds: Sequence[Round],
    expected: Sequence[ExpectedOutcome] = (),
) -> list[OutcomeChange]:
    """Changes from base to each other arm: lost packets first, then by number of packets."""
    found: list[OutcomeChange] = []
    for arm in (Arm.HEAD_AS_BASE, Arm.HEAD) if Arm.BASE in arms else ():
        if arm in arms:
            pair = _Pair(arms[Arm.BASE], arms[arm], arm)
            exact = _in_replays(pair, replays)
            found += exact
            found += _over_launches(pair, rounds, {(one.stage, one.outcome) for one in exact})
    reasoned = [_with_reason(one, expected) for one in found]
    return sorted(reasoned, key=lambda one: (not one.lost, one.expected is not None, -abs(one.growth)))


def facts(changes: Sequence[OutcomeChange]) -> str:
    """The first few facts in a sentence, and the number of others."""
    said = "; ".join(one.text() for one in changes[:MAX_SAID])
    return said + (f"; and {len(changes) - MAX_SAID} more" if len(changes) > MAX_SAID else "")


def replayed(replays: Sequence[Replay], arm: Arm) -> bool:
    """True if base and this arm were replayed often enough to show which figures repeat."""
    return all(sum(one.arm is which for one in replays) >= MIN_REPLAYS for which in (Arm.BASE, arm))


@dataclass(frozen=True, slots=True)
class _Pair:
    base: ArmInfo
    head: ArmInfo
    arm: Arm

    @property
    def kinds(self) -> dict[Key, OutcomeKind]:
        return {
            (stage.name, outcome): kind
            for info in (self.base, self.head)
            for stage in info.stages
            if not stage.apart
            for outcome, kind in stage.outcomes.items()
        }

    @property
    def same_features(self) -> bool:
        return self.base.run.features == self.head.run.features

    def may_lose(self, key: Key) -> bool:
        """True if packets with this outcome are not forwarded. With other features policy may drop more, and
        no other outcome distinguishes base's packets from those of the feature."""
        kind = self.kinds.get(key)
        if not self.same_features:
            return kind is OutcomeKind.LOST
        return kind in DROPS or key[1] in _WORDS


def _in_replays(pair: _Pair, replays: Sequence[Replay]) -> list[OutcomeChange]:
    """Differences of figures that repeat in both arms."""
    if not replayed(replays, pair.arm):
        return []
    old = [_replayed(one, pair.base) for one in replays if one.arm is Arm.BASE]
    new = [_replayed(one, pair.head) for one in replays if one.arm is pair.arm]
    kinds, first, now = pair.kinds, old[0], new[0]
    changed = {
        key: now.outcomes.get(key, 0) - first.outcomes.get(key, 0)
        for key in sorted(first.outcomes.keys() | now.outcomes.keys())
        if _repeats(old, key) and _repeats(new, key) and not _branches(first, key)
        if abs(now.outcomes.get(key, 0) - first.outcomes.get(key, 0)) > _slack(first, now)
    }
    sent = sum(growth for key, growth in changed.items() if kinds.get(key) is OutcomeKind.SENT)
    same_features = pair.same_features
    lost = {
        key
        for key, growth in changed.items()
        if growth > 0 and pair.may_lose(key) and (sent < 0 or not same_features)
    }
    if same_features and sent < 0 and not lost:
        lost = {key for key, growth in changed.items() if growth < 0 and kinds.get(key) is OutcomeKind.SENT}
    # for lost packets only their stage is reported; later stages see fewer as a consequence
    named = [key for key, growth in changed.items() if same_features and (growth > 0 or not lost)]
    return [
        _change(pair.arm, key, (first, now), exact=True, lost=key in lost)
        for key in dict.fromkeys([*sorted(lost), *named])
    ]


def _over_launches(pair: _Pair, rounds: Sequence[Round], known: set[Key]) -> list[OutcomeChange]:
    """Differences of shares that launches show beyond their scatter, and that a part of the trace does not
    explain."""
    old, new = (_launches(rounds, info, arm) for info, arm in ((pair.base, Arm.BASE), (pair.head, pair.arm)))
    both = sorted(old.keys() & new.keys())
    pairs = [(old[launch], new[launch]) for launch in both]
    if len(pairs) < MIN_LAUNCHES:
        return []
    before, after = _sum([a for a, _ in pairs]), _sum([b for _, b in pairs])
    keys = sorted((before.outcomes.keys() | after.outcomes.keys()) - known)
    found = []
    for key in keys:
        a, b = before.outcomes.get(key, 0) / before.taken_in, after.outcomes.get(key, 0) / after.taken_in
        large = max(a, b) >= DOUBLED * min(a, b) or abs(b - a) > SHARE_LIMIT
        if a != b and large and _p_value(pairs, key) <= OUTCOME_ALPHA / len(keys):
            # packets_conserved covers packets without an outcome and separates them from those under way
            lost = pair.may_lose(key) and key[1] not in _WORDS and b >= DOUBLED * a
            if lost or pair.same_features:
                found.append(_change(pair.arm, key, (before, after), exact=False, lost=lost))
    return found


def _p_value(pairs: Sequence[tuple[Tally, Tally]], key: Key) -> float:
    """Two-sided, of no difference between the arms' shares."""
    shares = [(a.outcomes.get(key, 0) / a.taken_in, b.outcomes.get(key, 0) / b.taken_in) for a, b in pairs]
    differences = [b - a for a, b in shares]
    packets = [sum(one.taken_in for one in ones) for ones in zip(*pairs, strict=True)]
    common = sum(one.outcomes.get(key, 0) for both in pairs for one in both) / sum(packets)
    independent = sqrt(max(common * (1 - common), 0.0) * sum(1 / each for each in packets))
    error = max(stdev(differences) / sqrt(len(pairs)), independent)
    if error == 0:
        return 1.0
    return 2 * t_cdf(len(pairs) - 1, -abs(sum(differences) / len(pairs)) / error)


def _change(arm: Arm, key: Key, tallies: tuple[Tally, Tally], *, exact: bool, lost: bool) -> OutcomeChange:
    base, head = tallies
    return OutcomeChange(
        arm=arm,
        stage=key[0],
        outcome=key[1],
        base_packets=base.outcomes.get(key, 0),
        head_packets=head.outcomes.get(key, 0),
        base_taken_in=base.taken_in,
        head_taken_in=head.taken_in,
        exact=exact,
        lost=lost,
    )


def _with_reason(one: OutcomeChange, expected: Sequence[ExpectedOutcome]) -> OutcomeChange:
    """The change with its declared reason; the last declaration that covers it counts."""
    for each in reversed(expected):
        named = fnmatchcase(one.stage, each.stage) and fnmatchcase(one.outcome, each.outcome)
        if named and 0 < one.growth <= each.share:
            return one.model_copy(update={"expected": each.reason})
    return one


def _repeats(tallies: Sequence[Tally], key: Key) -> bool:
    return len({(one.taken_in, one.outcomes.get(key, 0)) for one in tallies}) == 1


def _branches(base: Tally, key: Key) -> bool:
    """True if the stage passes packets to other stages than the next, where missing packets mean nothing."""
    return key[1] == NOT_SEEN_AGAIN and base.outcomes.get(key, 0) != 0


def _slack(base: Tally, head: Tally) -> int:
    """Packets by which figures may differ because batches of different sizes end a replay at other
    packets."""
    under_way = 0 if head.grew_throughout else abs(head.under_way - base.under_way)
    return abs(head.taken_in - base.taken_in) + under_way


def _replayed(replay: Replay, info: ArmInfo) -> Tally:
    levels = [0, *replay.under_way]
    grew = len(replay.under_way) > 1 and all(b > a for a, b in pairwise(levels))
    counters = {name: (one.packets, one.outcomes) for name, one in replay.stages.items()}
    return _tally(counters, info, replay.under_way[-1] if replay.under_way else 0, grew)


def _launches(rounds: Sequence[Round], info: ArmInfo, arm: Arm) -> dict[int, Tally]:
    """Tallies of all rounds, including those set aside: a disturbed core loses time, not packets."""
    found: dict[int, dict[str, tuple[int, dict[str, int]]]] = {}
    for one in rounds:
        if one.arm is arm:
            sums = found.setdefault(one.launch, {})
            for name, stage in one.stages.items():
                packets, outcomes = sums.get(name, (0, {}))
                for outcome, count in stage.outcomes.items():
                    outcomes[outcome] = outcomes.get(outcome, 0) + count
                sums[name] = packets + stage.packets, outcomes
    tallies = {launch: _tally(sums, info, 0, False) for launch, sums in found.items()}
    return {launch: one for launch, one in tallies.items() if one.taken_in}


def _tally(
    counters: Mapping[str, tuple[int, Mapping[str, int]]], info: ArmInfo, under_way: int, grew: bool
) -> Tally:
    own = [stage for stage in info.stages if not stage.apart and stage.name in counters]
    found: dict[Key, int] = {}
    for stage in own:
        packets, outcomes = counters[stage.name]
        found |= {(stage.name, outcome): count for outcome, count in outcomes.items()}
        if stage.outcomes:
            found[stage.name, UNNAMED] = max(0, packets - sum(outcomes.values()))
    visited = [stage for stage in own if counters[stage.name][0]]
    for stage, behind in pairwise(visited):
        passed = [outcome for outcome, kind in stage.outcomes.items() if kind is OutcomeKind.PASS]
        if passed:
            handed_on = sum(counters[stage.name][1].get(outcome, 0) for outcome in passed)
            found[stage.name, NOT_SEEN_AGAIN] = max(0, handed_on - counters[behind.name][0])
    taken_in = counters[own[0].name][0] if own else 0
    return Tally(taken_in, found, under_way, grew)


def _sum(tallies: Sequence[Tally]) -> Tally:
    keys = {key for one in tallies for key in one.outcomes}
    outcomes = {key: sum(one.outcomes.get(key, 0) for one in tallies) for key in keys}
    return Tally(sum(one.taken_in for one in tallies), outcomes, 0, False)
