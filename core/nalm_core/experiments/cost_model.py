# SPDX-License-Identifier: Apache-2.0
"""Fits the cost model of a scenario's features from its cells.

CPP(F) = bare chain + sum of the features' and pairs' cycles. Each cell gives the ratio of F's CPP to that of
the reference, which is measured side by side, so the drift of a host cancels. ratio(F) - 1 is linear in the
difference between F and the reference, with coefficients in units of the reference's CPP. Stages are fitted
by the same linear function as the chain, so the stages of a term add up to the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from nalm_core.experiments.constants import LACK_OF_FIT
from nalm_core.experiments.observe import Observation
from nalm_core.experiments.prices import price_list
from nalm_core.experiments.result import Drift, FeatureFit, Prediction
from nalm_core.features.cost_model import CostModel, Term
from nalm_core.report.cell import Use
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats import least_squares
from nalm_core.stats.least_squares import Linear, Matrix, NotEstimableError

Terms = Sequence[Sequence[str]]


def fit_features(scenario: str, observations: Sequence[Observation]) -> FeatureFit:
    """The fit of the observations, at least one. `refused` is the reason why there is no model."""
    reference, terms = observations[0].base.features, observations[0].cell.terms
    fitted = [one for one in observations if one.cell.use is Use.FIT]
    reference_cpp, scale_error = _level(observations)
    shown = FeatureFit(
        scenario=scenario,
        reference=list(reference),
        reference_cpp=reference_cpp,
        tsc_hz=observations[0].tsc_hz,
        model=None,
        refused=None,
        prices=[],
        stages=_reference_stages(observations),
        predictions=[],
        left_out_error=None,
        lack_of_fit=None,
        drift=[_drift(one) for one in observations if one.cell.use is Use.REFERENCE],
        notes=[],
    )
    try:
        linear = _linear(fitted, reference, terms)
    except NotEstimableError as error:
        return shown.model_copy(update={"refused": _confounded(terms, error.places)})
    whole = _Whole(reference, terms, linear, reference_cpp, scale_error)
    held_out = [
        _predicted(one, whole.linear, reference, terms, reference_cpp, held_out=True)
        for one in observations
        if one.cell.use is Use.HELD_OUT
    ]
    left_out = list(_left_out(fitted, reference, terms, reference_cpp))
    model = whole.model(observations, _rms(held_out))
    return shown.model_copy(
        update={
            "model": model,
            "prices": price_list(model, shown, _stage_terms(fitted, linear, terms, reference_cpp)),
            "predictions": [*held_out, *left_out],
            "left_out_error": _rms(left_out),
            "lack_of_fit": linear.lack_of_fit,
            "notes": list(_notes(linear, held_out, model)),
        }
    )


def contains(features: Iterable[str], terms: Terms) -> Matrix:
    """1 for each term whose features are all in the set, otherwise 0."""
    there = set(features)
    return np.array([float(there.issuperset(term)) for term in terms])


def _linear(fitted: Sequence[Observation], reference: Sequence[str], terms: Terms) -> Linear:
    """Raises NotEstimableError."""
    if not fitted:
        raise NotEstimableError(range(len(terms)))
    at_reference = contains(reference, terms)
    return least_squares.fit(
        np.array([contains(one.head.features, terms) - at_reference for one in fitted]),
        np.array([one.ratio - 1 for one in fitted]),
        np.array([one.error for one in fitted]),
        np.array([float(one.estimate.degrees) for one in fitted]),
        np.array([float(one.estimate.launches) for one in fitted]),
    )


@dataclass(frozen=True)
class _Whole:
    """Converts differences from the reference, in units of its CPP, to terms and bare chain in cycles."""

    reference: Sequence[str]
    terms: Terms
    linear: Linear
    cpp: float
    cpp_error: float

    def model(self, observations: Sequence[Observation], held_out_error: float | None) -> CostModel:
        at = contains(self.reference, self.terms)
        lift = np.vstack([-at, np.eye(len(self.terms))])
        shares = lift @ self.linear.coefficients
        shares[0] += 1.0
        level = np.outer(shares, shares) * self.cpp_error**2
        covariance = self.cpp**2 * self.linear.excess * (lift @ self.linear.covariance @ lift.T) + level
        sets = list(dict.fromkeys([tuple(self.reference), *_fitted_sets(observations)]))
        everywhere = set.intersection(*map(set, sets))
        ordered = list(dict.fromkeys(name for one in sets for name in one))
        return CostModel(
            terms=[
                Term(features=list(term), cycles=float(share * self.cpp))
                for term, share in zip([[], *self.terms], shares, strict=True)
            ],
            covariance=[[float(value) for value in row] for row in covariance],
            degrees=self._degrees(len(observations)),
            varied=[name for name in ordered if name not in everywhere],
            fixed=[name for name in ordered if name in everywhere],
            sets=[list(one) for one in sets],
            held_out_error=held_out_error,
        )

    def _degrees(self, cells: int) -> float:
        """The fewest of any sum of terms: that of the reference has the level's error alone."""
        own = float(self.linear.widened_degrees.min())
        return min(own, cells - 1.0) if cells > 1 else own


def _fitted_sets(observations: Sequence[Observation]) -> list[tuple[str, ...]]:
    return [one.head.features for one in observations if one.cell.use is Use.FIT]


def _level(observations: Sequence[Observation]) -> tuple[float, float]:
    """The reference's mean CPP over all cells, and its standard error by their scatter."""
    values = [one.base.chain.cpp for one in observations]
    error = float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0
    return float(np.mean(values)), error


def _reference_stages(observations: Sequence[Observation]) -> dict[str, float]:
    return {
        stage: float(np.mean([one.base.stages[stage].cpp for one in observations]))
        for stage in observations[0].base.stages
        if all(stage in one.base.stages for one in observations)
    }


def _stage_terms(
    fitted: Sequence[Observation], linear: Linear, terms: Terms, cpp: float
) -> list[dict[str, float]]:
    """Cycles per packet of each term by stage."""
    stages = list(dict.fromkeys(stage for one in fitted for stage in one.shares))
    shares = np.array([[one.shares.get(stage, 0.0) for stage in stages] for one in fitted])
    found = linear.operator @ shares * cpp
    return [
        {stage: float(value) for stage, value in zip(stages, row, strict=True)} for row in found[: len(terms)]
    ]


def _predicted(
    one: Observation,
    linear: Linear,
    reference: Sequence[str],
    terms: Terms,
    cpp: float,
    *,
    held_out: bool,
) -> Prediction:
    difference = contains(one.head.features, terms) - contains(reference, terms)
    predicted = 1 + float(difference @ linear.coefficients)
    return Prediction(
        features=list(one.head.features),
        measured=one.ratio * cpp,
        predicted=predicted * cpp,
        error=predicted / one.ratio - 1,
        held_out=held_out,
    )


def _left_out(
    fitted: Sequence[Observation], reference: Sequence[str], terms: Terms, cpp: float
) -> Iterable[Prediction]:
    """Prediction of each fitted set by the other sets, where these determine it."""
    for place, one in enumerate(fitted):
        try:
            others = _linear([*fitted[:place], *fitted[place + 1 :]], reference, terms)
        except NotEstimableError:
            continue
        yield _predicted(one, others, reference, terms, cpp, held_out=False)


def _rms(predictions: Sequence[Prediction]) -> float | None:
    return sqrt(float(np.mean([one.error**2 for one in predictions]))) if predictions else None


def _drift(one: Observation) -> Drift:
    low, high = one.estimate.interval(1 - CONFIDENCE)
    return Drift(cell=one.cell.name, cpp=one.base.chain.cpp, ratio=one.ratio, low=low, high=high)


def _confounded(terms: Terms, places: Sequence[int]) -> str:
    names = ", ".join(" with ".join(terms[place]) for place in places)
    return (
        f"cannot be estimated separately: {names}. Every measured set has all of them or none. Measure the "
        "missing cells, or remove one of them from [experiments.features]"
    )


def _notes(linear: Linear, held_out: Sequence[Prediction], model: CostModel) -> Iterable[str]:
    if (chance := linear.lack_of_fit) is not None and chance < LACK_OF_FIT:
        yield (
            "the costs of the sets differ from the sums of the prices: features interact beyond the "
            "requested pairs; the intervals are wider for that reason"
        )
    if not held_out:
        yield "no set was held out: the model's error on other sets is not known"
    if model.fixed:
        yield f"always on, and therefore part of the bare chain: {', '.join(model.fixed)}"
