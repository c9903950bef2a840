# SPDX-License-Identifier: Apache-2.0
"""Speedup with lcores (Wu et al., Eq. 1 and 3 to 5): the curve, its fit, its ceiling and its peak.

With equal cumulative overhead f of each lcore, Eq. 3 is `n / S(n) = A + B n + C n^2`, where
A = (1 - f_a) / f_t, B = (f_a + f_s) / f_t, C = f / f_t. Throughput at several core counts determines A, B and
C. The four factors follow only if f_s is measured apart: f_t and f_s change the curve in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from nalm_core.models.quantity import Estimate, ModelInputError, Values, ratio_estimate, require_positive
from nalm_core.stats import least_squares
from nalm_core.stats.quantiles import f_tail, t_quantile

UNKNOWNS = 3
"""A, B and C."""
LEVEL = 0.95
"""Level of all intervals of a fit."""
CAP_ERROR = 0.01
"""Error rate of naming a cap where there is none, over all places at which it may begin."""
LACK_OF_FIT = 0.05
"""Probability below which residuals, not the launches, determine the intervals."""
EXACT = 1e-20
"""Sum of squared relative residuals below which data are on the curve."""
LEAST_AT_CAP = 2
"""Core counts at a cap, at least: one slow count is no cap."""


@dataclass(frozen=True, slots=True)
class Factors:
    """Factors of Eq. 3, each a ratio to the work of one lcore; the goal of Eq. 4 and 5 is low values."""

    f_t: float
    """Total computational scale: less than 1 if work is offloaded or saved."""
    f_a: float
    """Share that does not run in parallel."""
    f_s: float
    """Fixed overhead of running in parallel."""
    f: float | tuple[float, ...]
    """Cumulative overhead of each lcore: one value (run to completion), or one per lcore (pipeline)."""


def gain(original_s: float, enhanced_s: float) -> float:
    """Speedup of Eq. 1: time of the original over time of the enhanced version, in the same unit."""
    require_positive("time of the original", original_s)
    require_positive("time of the enhanced version", enhanced_s)
    return original_s / enhanced_s


def speedup(factors: Factors, lcores: int) -> float:
    """Speedup with that many lcores (Eq. 3). Raises ModelInputError."""
    if lcores < 1:
        raise ModelInputError("lcores", f"expected at least 1, not {lcores}")
    if isinstance(factors.f, tuple):
        if len(factors.f) < lcores:
            raise ModelInputError(
                "f", f"has {len(factors.f)} values, expected one for each of {lcores} lcores"
            )
        overhead = sum(factors.f[:lcores])
    else:
        overhead = lcores * factors.f
    parallel = 1 + (lcores - 1) * factors.f_a + lcores * factors.f_s + lcores * overhead
    return factors.f_t * lcores / parallel


def pipeline_overheads(handover_cycles: Sequence[float], one_lcore_cpp: float) -> tuple[float, ...]:
    """f_i of a pipeline: hand-over cycles per packet of stage i over the CPP of the whole chain on one lcore.
    One value per lcore, in the pipeline's order."""
    require_positive("CPP of one lcore", one_lcore_cpp, "cycles")
    return tuple(cycles / one_lcore_cpp for cycles in handover_cycles)


@dataclass(frozen=True, slots=True)
class Throughput:
    """Measured rates with one number of lcores: one value per launch, in packets/s or any common unit."""

    lcores: int
    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.lcores < 1:
            raise ModelInputError("lcores", f"expected at least 1, not {self.lcores}")
        if not self.rates:
            raise ModelInputError(f"rate with {self.lcores} lcores", "has no value")
        for rate in self.rates:
            require_positive(f"rate with {self.lcores} lcores", rate)

    @property
    def mean(self) -> float:
        return float(np.mean(self.rates))


@dataclass(frozen=True, slots=True)
class Point:
    """One measured core count beside the curve. residual: measured over fitted speedup, less 1."""

    lcores: int
    measured: float
    fitted: float
    residual: float


@dataclass(frozen=True, slots=True)
class Cap:
    """Another bound, such as a NIC's rate, that ends the gain below the curve's own peak."""

    speedup: float
    from_lcores: float
    """Where the curve reaches the cap; more lcores gain nothing."""
    counts: tuple[int, ...]
    """Measured core counts at the cap."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Speedup at one core count. extrapolated: outside the measured core counts of the curve."""

    lcores: int
    speedup: Estimate
    extrapolated: bool
    capped: bool


@dataclass(frozen=True, slots=True)
class FactorFit:
    """Factors with f_s known. f_s is taken as exact."""

    f_t: Estimate
    f_a: Estimate
    f_s: float
    f: Estimate


@dataclass(frozen=True, slots=True)
class FactorRanges:
    """What the curve leaves open without f_s: factors from f_s = 0 to f_a = 0."""

    f_t: tuple[float, float]
    f_a: tuple[float, float]
    f_s: tuple[float, float]
    f: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SpeedupFit:
    """The curve that measured core counts determine, relative to `reference` lcores.

    a, b, c: of `n / S(n) = A + B n + C n^2` with S(reference) = 1.
    """

    reference: int
    a: Estimate
    b: Estimate
    c: Estimate
    points: tuple[Point, ...]
    peak: Estimate | None
    """Core count with the greatest speedup; None: C is not above 0 within its interval."""
    ceiling: Estimate | None
    """Greatest speedup, at the peak."""
    cap: Cap | None
    factors: FactorFit | None
    ranges: FactorRanges | None
    """None if f_s is known, or if the reference is not one lcore."""
    lack_of_fit: float | None
    """Probability of residuals as large if the curve is right; None unless each core count has launches."""
    notes: tuple[str, ...]
    least: int
    greatest: int
    """Core counts between which the curve was fitted."""
    _curve: _Curve

    def at(self, lcores: int) -> Prediction:
        """The speedup at any core count, with the cap. Raises ModelInputError below one lcore."""
        if lcores < 1:
            raise ModelInputError("lcores", f"expected at least 1, not {lcores}")
        found = self._curve.speedup(lcores, self.reference)
        capped = self.cap is not None and found.value > self.cap.speedup
        if capped and self.cap is not None:
            found = Estimate(self.cap.speedup)
        beyond = lcores < self.least or lcores > self.greatest
        return Prediction(lcores, found, beyond and not capped, capped)


@dataclass(frozen=True, slots=True)
class _Curve:
    """Lcores over rate as a quadratic: parameters (3,), covariance (3, 3), quantile of t or None."""

    parameters: Values
    covariance: Values
    quantile: float | None

    def ratio(self, top: ArrayLike, below: ArrayLike) -> Estimate:
        return ratio_estimate(
            np.asarray(top, dtype=float),
            np.asarray(below, dtype=float),
            self.parameters,
            self.covariance,
            self.quantile,
        )

    def value(self, lcores: float) -> float:
        """Lcores over rate."""
        return float(_row(lcores) @ self.parameters)

    def speedup(self, lcores: float, reference: int) -> Estimate:
        scale = lcores / reference
        return self.ratio(scale * _row(reference), _row(lcores))

    def peak(self) -> Estimate | None:
        """None unless the interval of C, and so that of A / C, is bounded."""
        a, _, c = self.parameters
        if not (a > 0 and c > 0):
            return None
        square = self.ratio([1, 0, 0], [0, 0, 1])
        if self.quantile is not None and square.high is None:
            return None
        low = None if square.low is None else sqrt(max(square.low, 0.0))
        return Estimate(sqrt(square.value), low, None if square.high is None else sqrt(square.high))

    def ceiling(self, reference: int) -> Estimate:
        """Greatest speedup, with an interval by linearising its logarithm."""
        a, b, c = (float(one) for one in self.parameters)
        least = b + 2 * sqrt(a * c)
        value = self.value(reference) / reference / least
        if self.quantile is None:
            return Estimate(value)
        slope = _row(reference) / self.value(reference) - np.array([sqrt(c / a), 1.0, sqrt(a / c)]) / least
        half = self.quantile * sqrt(float(slope @ self.covariance @ slope))
        return Estimate(value, value * exp(-half), value * exp(half))


def _row(lcores: float) -> Values:
    return np.array([1.0, lcores, lcores * lcores])


@dataclass(frozen=True, slots=True)
class _Data:
    """Core counts (n,), lcores over rate (n,), launches (n,), relative variance of a launch and its degrees
    of freedom (0: unknown)."""

    lcores: Values
    values: Values
    launches: Values
    variance: float
    degrees: int

    def part(self, count: int) -> _Data:
        """The least core counts."""
        return _Data(
            self.lcores[:count], self.values[:count], self.launches[:count], self.variance, self.degrees
        )

    def squares(self, fitted: Values) -> float:
        """Weighted sum of squared relative residuals."""
        return float((self.launches * ((self.values - fitted) / self.values) ** 2).sum())


@dataclass(frozen=True, slots=True)
class _Shape:
    """A fitted shape: parameters of the curve, the cap as lcores over rate at one lcore (inf: none)."""

    linear: least_squares.Linear
    below: int
    """Number of core counts on the curve."""
    slowest: float
    """1 / rate of the cap; 0: no cap."""
    squares: float
    free: int

    def fitted(self, lcores: Values) -> Values:
        curve = _design(lcores) @ self.linear.coefficients
        return np.asarray(np.maximum(curve, lcores * self.slowest))


def fit_speedup(
    measured: Sequence[Throughput], *, reference: int | None = None, f_s: float | None = None
) -> SpeedupFit:
    """The curve of Eq. 3 through measured rates, by least squares of relative residuals.

    reference: lcores whose speedup is 1; the least measured count by default. f_s: fixed overhead of running
    in parallel, measured apart: CPP of the parallel machinery on one lcore over CPP of run to completion,
    less 1. Intervals come from the launches if each core count has several, otherwise from residuals, and are
    missing if there are none. Raises ModelInputError for fewer core counts than unknowns.
    """
    data = _data(measured)
    known = reference if reference is not None else int(data.lcores[0])
    if known < 1:
        raise ModelInputError("reference", f"expected at least 1 lcore, not {known}")
    if f_s is not None and not (isfinite(f_s) and f_s > -1):
        raise ModelInputError("f_s", f"expected the measured CPP ratio less 1, not {f_s:g}")
    plain = _plain(data)
    capped = _capped(data, plain)
    chosen = capped or plain
    curve, lack, notes = _with_errors(data, chosen)
    if curve.value(known) <= 0:
        raise ModelInputError(
            "reference", f"the curve has no rate with {known} lcores; choose a measured count"
        )
    cap = _cap(data, capped, curve, known)
    if cap is not None and known > cap.from_lcores:
        raise ModelInputError(
            "reference", f"{known} lcores are beyond the cap, which begins at {cap.from_lcores:.1f} lcores"
        )
    total = _row(known) / known
    peak = curve.peak()
    factors = _factors(curve, f_s) if f_s is not None and known == 1 else None
    ranges = _ranges(curve) if f_s is None and known == 1 else None
    notes += _notes(data, chosen, curve, known, f_s)
    return SpeedupFit(
        reference=known,
        a=curve.ratio([1, 0, 0], total),
        b=curve.ratio([0, 1, 0], total),
        c=curve.ratio([0, 0, 1], total),
        points=_points(data, chosen, curve, known),
        peak=peak,
        ceiling=None if peak is None else curve.ceiling(known),
        cap=cap,
        factors=factors,
        ranges=ranges,
        lack_of_fit=lack,
        notes=tuple(notes),
        least=int(data.lcores[0]),
        greatest=int(data.lcores[chosen.below - 1]),
        _curve=curve,
    )


def _data(measured: Sequence[Throughput]) -> _Data:
    """One row per core count, least first."""
    by_count: dict[int, tuple[float, ...]] = {}
    for one in measured:
        by_count[one.lcores] = (*by_count.get(one.lcores, ()), *one.rates)
    if len(by_count) < UNKNOWNS:
        raise ModelInputError(
            "core counts",
            f"{len(by_count)} given, expected at least {UNKNOWNS} different ones: the curve has the unknowns "
            "A, B and C",
        )
    counts = sorted(by_count)
    rates = [np.asarray(by_count[count], dtype=float) for count in counts]
    means = np.array([each.mean() for each in rates])
    degrees = sum(len(each) - 1 for each in rates) if all(len(each) > 1 for each in rates) else 0
    spread = sum(float((((each - each.mean()) / each.mean()) ** 2).sum()) for each in rates)
    lcores = np.array(counts, dtype=float)
    values = lcores / means
    return _Data(
        lcores, values, np.array([len(each) for each in rates]), spread / degrees if degrees else 0.0, degrees
    )


def _design(lcores: Values) -> Values:
    return np.column_stack([np.ones_like(lcores), lcores, lcores**2])


def _linear(data: _Data) -> least_squares.Linear:
    """The quadratic, with errors for a relative variance of 1 per launch."""
    errors = data.values / np.sqrt(data.launches)
    ones = np.ones_like(data.values)
    return least_squares.fit(_design(data.lcores), data.values, errors, ones, 1 / errors**2)


def _plain(data: _Data) -> _Shape:
    linear, count = _linear(data), len(data.values)
    squares = data.squares(_design(data.lcores) @ linear.coefficients)
    return _Shape(linear, count, 0.0, squares, count - UNKNOWNS)


def _capped(data: _Data, plain: _Shape) -> _Shape | None:
    """The best shape min(curve, cap), if it explains the data and the curve alone does not."""
    count = len(data.values)
    splits = range(UNKNOWNS, count - LEAST_AT_CAP + 1)
    if not splits or plain.squares <= EXACT:
        return None
    shapes = [_split(data, below) for below in splits]
    best = min(shapes, key=lambda shape: (max(shape.squares, EXACT), -shape.below))
    gained = plain.squares - best.squares
    if data.degrees:
        statistic, degrees = gained / data.variance if data.variance > 0 else inf, data.degrees
    else:
        degrees = best.free
        statistic = gained / max(best.squares, EXACT) * degrees
    chance = f_tail(1, degrees, max(statistic, 0.0)) if isfinite(statistic) else 0.0
    return best if chance * len(splits) < CAP_ERROR else None


def _split(data: _Data, below: int) -> _Shape:
    """The curve through the least core counts, the cap through the others."""
    linear = _linear(data.part(below))
    rates = data.lcores[below:] / data.values[below:]
    slowest = 1 / float(np.average(rates, weights=data.launches[below:]))
    shape = _Shape(linear, below, slowest, 0.0, len(data.values) - UNKNOWNS - 1)
    return _Shape(linear, below, slowest, data.squares(shape.fitted(data.lcores)), shape.free)


def _with_errors(data: _Data, shape: _Shape) -> tuple[_Curve, float | None, list[str]]:
    """The curve with its covariance, the probability of its lack of fit, and what to say of its intervals."""
    scatter = shape.squares / shape.free if shape.free else None
    lack, variance, degrees = None, data.variance, data.degrees
    notes = []
    if degrees and scatter is not None:
        lack = f_tail(shape.free, degrees, scatter / variance) if variance > 0 else 0.0
    if scatter is not None and (not degrees or (lack is not None and lack < LACK_OF_FIT)):
        variance, degrees = scatter, shape.free
        if lack is not None:
            notes.append(
                "the curve misses core counts by more than launches vary: intervals are of residuals"
            )
    if not degrees:
        notes.append(f"no intervals: {UNKNOWNS} core counts without repeated launches leave no residuals")
    quantile = t_quantile(degrees, 0.5 + LEVEL / 2) if degrees else None
    return _Curve(shape.linear.coefficients, shape.linear.covariance * variance, quantile), lack, notes


def _cap(data: _Data, shape: _Shape | None, curve: _Curve, reference: int) -> Cap | None:
    if shape is None:
        return None
    scale = curve.value(reference) / reference
    a, b, c = (float(one) for one in shape.linear.coefficients)
    # a + b n + c n^2 = n slowest: the lesser root is where the rising curve meets the cap.
    middle = shape.slowest - b
    inside = middle**2 - 4 * a * c
    meets = float(data.lcores[shape.below - 1])
    if inside >= 0 and middle > 0:
        meets = 2 * a / (middle + sqrt(inside))
    counts = tuple(int(one) for one in data.lcores[shape.below :])
    return Cap(scale / shape.slowest, meets, counts)


def _points(data: _Data, shape: _Shape, curve: _Curve, reference: int) -> tuple[Point, ...]:
    scale = curve.value(reference) / reference
    measured, fitted = scale * data.lcores / data.values, scale * data.lcores / shape.fitted(data.lcores)
    return tuple(
        Point(int(count), float(one), float(other), float(one / other - 1))
        for count, one, other in zip(data.lcores, measured, fitted, strict=True)
    )


def _factors(curve: _Curve, f_s: float) -> FactorFit:
    """The factors of Eq. 3, from A + B + C = 1 at one lcore."""
    rest = [1, 1, 0]
    return FactorFit(
        f_t=curve.ratio([1 + f_s] * 3, rest),
        f_a=curve.ratio([-f_s, 1, 0], rest),
        f_s=f_s,
        f=curve.ratio([0, 0, 1 + f_s], rest),
    )


def _ranges(curve: _Curve) -> FactorRanges | None:
    """Factors from f_s = 0 to the f_s at which f_a would be negative; None where none are possible."""
    a, b, _ = curve.parameters
    if a <= 0 or b < 0:
        return None
    least, most = _factors(curve, 0.0), _factors(curve, float(b / a))
    return FactorRanges(
        f_t=(least.f_t.value, most.f_t.value),
        f_a=(0.0, least.f_a.value),
        f_s=(0.0, float(b / a)),
        f=(least.f.value, most.f.value),
    )


def _notes(data: _Data, shape: _Shape, curve: _Curve, reference: int, f_s: float | None) -> list[str]:
    notes = []
    greatest = int(data.lcores[shape.below - 1])
    if curve.peak() is None:
        notes.append(f"no peak seen up to {greatest} lcores: C is not above 0 within its interval")
    if reference not in data.lcores:
        notes.append(f"{reference} lcores were not measured: the reference is the curve's value there")
    if f_s is None:
        notes.append("f_s was not measured: f_t, f_a and f_s cannot be told apart")
    elif reference != 1:
        notes.append("factors need one lcore as the reference")
    if len(data.values) < UNKNOWNS + LEAST_AT_CAP:
        notes.append(
            f"a cap by another bound would not be seen: it needs {UNKNOWNS} core counts below it and "
            f"{LEAST_AT_CAP} at it"
        )
    if curve.parameters[0] < 0 or curve.parameters[1] < 0:
        notes.append("A or B is below 0: lcores speed each other up, which Eq. 3 cannot say")
    return notes
