# SPDX-License-Identifier: Apache-2.0
"""Functions by exact counts. They repeat, so a change needs a size and no test. What moved between functions
is taken out first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nalm_core.functions.costs import CountedSide
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import CostShift, FunctionJudgement, FunctionOutcome, Key
from nalm_core.functions.shifts import Move, groups, moves
from nalm_core.report.defaults import FUNCTION_CALLS_EQUAL, FUNCTION_SHARE, PLACEMENT_INSTRUCTIONS

PLACEMENT = "its code is the same and it is called as often: its input, or its place in memory, differs"
UNLISTED = "one side's report does not name it among the costliest functions of its stage"
BOUNDED = f"{UNLISTED}: there it costs at most this"


@dataclass(frozen=True)
class _Change:
    """A function's instructions per packet on both sides, and what moved."""

    base: float
    head: float
    came: tuple[Move, ...]
    left: tuple[Move, ...]

    @property
    def added(self) -> float:
        """What it gained by itself."""
        moved = sum(one.ipp for one in self.came) - sum(one.ipp for one in self.left)
        return self.head - self.base - moved

    @property
    def moved(self) -> float:
        """What came and what left."""
        return sum(one.ipp for one in (*self.came, *self.left))

    @property
    def expected(self) -> float:
        """What it would cost if nothing had been added."""
        return self.head - self.added


def by_counts(
    base: CountedSide, head: CountedSide, margins: Margins, changed: Collection[str] | None
) -> dict[Key, FunctionJudgement]:
    keys = dict.fromkeys([*base.functions, *head.functions])
    unknown = {key for key in keys if not (_known(base, key) and _known(head, key))}
    cost = {key: (_cost(base, key), _cost(head, key)) for key in keys if key not in unknown}
    bounded = {key for key in unknown if _is_certain(base, head, key, margins)}
    unknown -= bounded
    cost |= {key: (_most(base, key), _most(head, key)) for key in bounded}
    found = moves(base, head, {key: new - old for key, (old, new) in cost.items()})
    came, left = defaultdict[Key, list[Move]](list), defaultdict[Key, list[Move]](list)
    for one in found:
        came[one.target].append(one)
        left[one.source].append(one)
    changes = {key: _Change(old, new, tuple(came[key]), tuple(left[key])) for key, (old, new) in cost.items()}
    outcomes = _outcomes(changes, groups(found), margins, base.chain)
    judged = {key: _judged(key, changes[key], outcomes[key], margins, base.chain) for key in changes}
    for key, outcome in judged.items():
        if changed is not None and _is_placed(base, head, key, outcome, changed):
            judged[key] = outcome.model_copy(
                update={"outcome": FunctionOutcome.INCONCLUSIVE, "reason": PLACEMENT, "alarms": False}
            )
    for key in bounded:
        judged[key] = judged[key].model_copy(update={"reason": BOUNDED})
    return judged | {key: _unlisted(base, head, key) for key in unknown}


def _cost(side: CountedSide, key: Key) -> float:
    return side.functions[key].ipp if key in side.functions else 0.0


def _most(side: CountedSide, key: Key) -> float:
    """Its cost, or the most that it can be if the report does not name it."""
    return side.functions[key].ipp if key in side.functions else side.unlisted.get(key[0], 0.0)


def _is_certain(base: CountedSide, head: CountedSide, key: Key, margins: Margins) -> bool:
    """True if a function that one side does not name changed, however much it costs there."""
    old, new = _most(base, key), _most(head, key)
    outcome = _direction(new - old, old, margins.of(key[0]), base.chain)
    return outcome is (FunctionOutcome.IMPROVED if key in base.functions else FunctionOutcome.REGRESSED)


def _known(side: CountedSide, key: Key) -> bool:
    """True if its cost is listed, or too small to matter."""
    return key in side.functions or side.unlisted.get(key[0], 0.0) < FUNCTION_SHARE * side.chain


def _outcomes(
    changes: Mapping[Key, _Change], together: Sequence[set[Key]], margins: Margins, chain: float
) -> dict[Key, FunctionOutcome]:
    found = {key: _direction(one.added, one.base, margins.of(key[0]), chain) for key, one in changes.items()}
    for group in together:
        found |= _of_group({key: changes[key] for key in group}, margins, chain)
    return found


def _direction(added: float, expected: float, margin: float, chain: float) -> FunctionOutcome:
    """Of an exact change: beyond the margin, and enough of the chain."""
    if abs(added) < FUNCTION_SHARE * chain:
        return FunctionOutcome.SAME
    if added > 0:
        return FunctionOutcome.REGRESSED if added >= margin * expected else FunctionOutcome.SAME
    fell = expected + added <= expected / (1 + margin)
    return FunctionOutcome.IMPROVED if fell else FunctionOutcome.SAME


def _of_group(group: Mapping[Key, _Change], margins: Margins, chain: float) -> dict[Key, FunctionOutcome]:
    """Functions that cost moved between. One that changed by more than what moved, and beyond its margin, is
    judged alone; of the others the sum decides."""
    alone = {
        key: _direction(one.added, one.expected, margins.of(key[0]), chain) for key, one in group.items()
    }
    found = {
        key: alone[key]
        for key, one in group.items()
        if abs(one.added) > one.moved and alone[key] is not FunctionOutcome.SAME
    }
    rest = {key: one for key, one in group.items() if key not in found}
    if not rest:
        return found
    margin = min(margins.of(stage) for stage, _ in rest)
    before = sum(one.base for one in rest.values())
    added = sum(one.added for one in rest.values())
    outcome = _direction(added, before, margin, chain)
    most = max(rest, key=lambda key: ((1 if added > 0 else -1) * rest[key].added, str(key)))
    for key, one in rest.items():
        if outcome is not FunctionOutcome.SAME and (key == most or alone[key] is outcome):
            found[key] = outcome
        else:
            changed = _direction(one.head - one.base, one.base, margins.of(key[0]), chain)
            same = changed is FunctionOutcome.SAME
            found[key] = FunctionOutcome.SAME if same else FunctionOutcome.SHIFTED
    return found


def _judged(
    key: Key, one: _Change, outcome: FunctionOutcome, margins: Margins, chain: float
) -> FunctionJudgement:
    share = one.added / chain if chain else 0.0
    return FunctionJudgement(
        stage=key[0],
        name=key[1],
        outcome=outcome,
        by="instructions",
        base_ipp=one.base,
        head_ipp=one.head,
        added_ipp=one.added,
        chain_share=share,
        shifted_from=[
            CostShift(stage=m.source[0], name=m.source[1], ipp=m.ipp, evidence=m.evidence) for m in one.came
        ],
        shifted_to=[
            CostShift(stage=m.target[0], name=m.target[1], ipp=m.ipp, evidence=m.evidence) for m in one.left
        ],
        alarms=outcome is FunctionOutcome.REGRESSED and margins.alarms(key[0], share),
    )


def _unlisted(base: CountedSide, head: CountedSide, key: Key) -> FunctionJudgement:
    old, new = base.functions.get(key), head.functions.get(key)
    return FunctionJudgement(
        stage=key[0],
        name=key[1],
        outcome=FunctionOutcome.INCONCLUSIVE,
        by="instructions",
        base_ipp=old.ipp if old else None,
        head_ipp=new.ipp if new else None,
        reason=UNLISTED,
    )


def _is_placed(
    base: CountedSide, head: CountedSide, key: Key, one: FunctionJudgement, changed: Collection[str]
) -> bool:
    """True if placement may explain a changed count: a small change in an unchanged function, with as many
    calls."""
    old, new = base.functions.get(key), head.functions.get(key)
    if one.outcome not in (FunctionOutcome.REGRESSED, FunctionOutcome.IMPROVED) or key[1] in changed:
        return False
    if old is None or new is None or one.shifted_from or one.shifted_to or not old.calls or not new.calls:
        return False
    if abs(new.calls / old.calls - 1) > FUNCTION_CALLS_EQUAL:
        return False
    return abs(new.ipp / new.calls - old.ipp / old.calls) <= PLACEMENT_INSTRUCTIONS
