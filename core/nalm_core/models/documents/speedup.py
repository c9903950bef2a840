# SPDX-License-Identifier: Apache-2.0
"""Documents of the speedup with lcores."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from nalm_core.models.documents.base import Answer, Document, Interval, Lcores, Positive, Real
from nalm_core.models.speedup import Prediction, SpeedupFit, Throughput, fit_speedup

MOST_LAUNCHES = 200
"""Launches with one number of lcores, at most."""
ASSUMES = "Every lcore adds the same overhead (Wu et al., Eq. 3); intervals are 95 %."


class MeasuredRates(Document):
    """Measured rates with one number of lcores."""

    lcores: Lcores
    rates: Annotated[list[Positive], Field(min_length=1, max_length=MOST_LAUNCHES)]
    """One per independent unit, a launch or a layout of code, in packets/s."""


class SpeedupInput(Document):
    rates: Annotated[list[MeasuredRates], Field(max_length=100)]
    """A number of lcores may occur repeatedly."""
    reference: Lcores | None = None
    """Lcores whose speedup is 1; by default the fewest measured."""
    f_s: Real | None = None
    """CPP of the parallel NF on one lcore over CPP of run to completion, less 1."""
    at: Annotated[list[Lcores], Field(max_length=256, default_factory=list)]
    """Lcores to predict for."""


class SpeedupPoint(Document):
    """One measured number of lcores beside the curve."""

    lcores: int
    measured: float
    fitted: float
    residual: float
    """measured / fitted - 1."""


class SpeedupCap(Document):
    """Another bound, such as a NIC, at which more lcores gain nothing."""

    speedup: float
    from_lcores: float
    """Where the curve reaches it."""
    counts: list[int]
    """Measured numbers of lcores at the cap."""


class SpeedupFactors(Document):
    """Factors of Eq. 3, with f_s as given."""

    f_t: Interval
    f_a: Interval
    f_s: float
    f: Interval


class SpeedupRanges(Document):
    """What the curve leaves open without f_s: lowest and highest of each factor."""

    f_t: tuple[float, float]
    f_a: tuple[float, float]
    f_s: tuple[float, float]
    f: tuple[float, float]


class PredictedSpeedup(Document):
    lcores: int
    speedup: Interval
    rate: float
    """Packets/s."""
    extrapolated: bool
    """True outside the measured numbers of lcores."""
    capped: bool


class SpeedupAnswer(Answer):
    """`n / S(n) = A + B n + C n^2`."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    reference: int
    reference_rate: float
    """Packets/s of the curve with `reference` lcores."""
    least: int
    greatest: int
    """Numbers of lcores between which the curve was fitted."""
    a: Interval = Field(alias="A")
    b: Interval = Field(alias="B")
    c: Interval = Field(alias="C")
    points: list[SpeedupPoint]
    peak: Interval | None
    """Number of lcores with the greatest speedup; null: C is not above 0 within its interval."""
    ceiling: Interval | None
    """Greatest speedup."""
    cap: SpeedupCap | None
    factors: SpeedupFactors | None
    ranges: SpeedupRanges | None
    lack_of_fit: float | None
    """Probability of residuals as large if the curve is right; null without repeated launches."""
    predictions: list[PredictedSpeedup]


def speedup_answer(given: SpeedupInput) -> SpeedupAnswer:
    """Raises ModelInputError."""
    measured = [Throughput(one.lcores, tuple(one.rates)) for one in given.rates]
    fit = fit_speedup(measured, reference=given.reference, f_s=given.f_s)
    rate = _reference_rate(fit, measured)
    return SpeedupAnswer.model_validate(
        {
            "assumes": ASSUMES,
            "notes": list(fit.notes),
            "reference": fit.reference,
            "reference_rate": rate,
            "least": fit.least,
            "greatest": fit.greatest,
            "a": fit.a,
            "b": fit.b,
            "c": fit.c,
            "points": fit.points,
            "peak": fit.peak,
            "ceiling": fit.ceiling,
            "cap": fit.cap,
            "factors": fit.factors,
            "ranges": fit.ranges,
            "lack_of_fit": fit.lack_of_fit,
            "predictions": [_predicted(fit.at(count), rate) for count in given.at],
        }
    )


def _predicted(prediction: Prediction, reference_rate: float) -> dict[str, object]:
    return {
        "lcores": prediction.lcores,
        "speedup": prediction.speedup,
        "rate": prediction.speedup.value * reference_rate,
        "extrapolated": prediction.extrapolated,
        "capped": prediction.capped,
    }


def _reference_rate(fit: SpeedupFit, measured: list[Throughput]) -> float:
    first = fit.points[0]
    rates = [rate for one in measured if one.lcores == first.lcores for rate in one.rates]
    return sum(rates) / len(rates) / first.measured
