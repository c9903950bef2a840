# SPDX-License-Identifier: Apache-2.0
"""Figures of trials: planted changes that were found, and alarms without a change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from nalm_core.findings import detection_quality
from nalm_core.findings.detection_quality import rate_of, rate_sentence, size_class
from nalm_core.report.outcome import ALARMING

from nalm_server.self_test.repository import StoredTrial
from nalm_server.self_test.schemas import Calibration, Detection, FalseAlarms, Group, Proportion

NO_MUTANT = "no planted change measured yet: `nalm-mutants run --upload`"
NO_CONTROL = "nothing measured against itself yet"
BINS = (0.5, 0.8, 0.95, 0.99, 1.0)
"""Bounds of probabilities of change points that are shown together."""
NOT_FOUND_YET = "nothing planted was found yet"


def proportion(hits: int, trials: int, empty: str) -> Proportion:
    """A rate with its bounds, in figures and in words."""
    rate = rate_of(hits, trials)
    return Proportion(
        hits=hits,
        trials=trials,
        rate=rate.rate,
        low=rate.low,
        high=rate.high,
        sentence=rate_sentence(rate, empty),
    )


def calibration(found: Sequence[tuple[float, bool]]) -> list[Calibration]:
    """(probability, whether it held) of change points, by BINS."""
    shown = []
    for least, most in pairwise(BINS):
        own = [one for one in found if least <= one[0] < most or one[0] == most == BINS[-1]]
        if own:
            held = proportion(sum(holds for _, holds in own), len(own), "")
            mean = sum(probability for probability, _ in own) / len(own)
            fields = {name: getattr(held, name) for name in Proportion.model_fields}
            shown.append(Calibration(**fields, least=least, most=most, probability=mean))
    return shown


def is_planted(one: StoredTrial) -> bool:
    return one.expected != "same"


def says(one: StoredTrial) -> bool:
    """Whether the trial counts: an invalid run of equal code has no verdict on speed."""
    return is_planted(one) or one.outcome != "invalid"


def is_hit(one: StoredTrial) -> bool:
    """Whether a planted change was found, or a change was reported where there is none."""
    return one.correct if is_planted(one) else one.outcome in ALARMING


def of(trials: Sequence[StoredTrial], empty: str) -> Proportion:
    return proportion(sum(map(is_hit, trials)), len(trials), empty)


def planted(trials: Iterable[StoredTrial]) -> list[StoredTrial]:
    return [one for one in trials if is_planted(one)]


def harmless(trials: Iterable[StoredTrial]) -> list[StoredTrial]:
    return [one for one in trials if not is_planted(one) and says(one)]


def detection(trials: Sequence[StoredTrial]) -> Detection:
    """Figures of planted changes."""
    found = [one for one in trials if one.correct]
    sizes = _groups(trials, lambda one: size_class(one.size))
    return Detection(
        all=of(trials, NO_MUTANT),
        by_size=sorted(sizes, key=lambda one: detection_quality.SIZE_CLASSES.index(one.name)),
        by_category=_groups(trials, lambda one: one.category),
        by_scenario=_groups(trials, lambda one: one.scenario),
        stage=_right([one.stage_right for one in found]),
        cause=_right([one.cause_right for one in found]),
    )


def false_alarms(trials: Sequence[StoredTrial]) -> FalseAlarms:
    """Figures of comparisons without a change."""
    return FalseAlarms(
        all=of(trials, NO_CONTROL),
        by_kind=_groups(trials, lambda one: one.kind),
        by_scenario=_groups(trials, lambda one: one.scenario),
        inconclusive=sum(one.outcome == "inconclusive" for one in trials),
    )


def _groups(trials: Iterable[StoredTrial], name_of: Callable[[StoredTrial], str | None]) -> list[Group]:
    """Groups by name; trials without a name are in no group."""
    by_name: dict[str, list[StoredTrial]] = defaultdict(list)
    for one in trials:
        if (name := name_of(one)) is not None:
            by_name[name].append(one)
    return [Group(name=name, **dict(of(those, NO_CONTROL))) for name, those in sorted(by_name.items())]


def _right(answers: Iterable[bool | None]) -> Proportion:
    """Share among trials that have an answer."""
    known = [one for one in answers if one is not None]
    return proportion(sum(known), len(known), NOT_FOUND_YET)
