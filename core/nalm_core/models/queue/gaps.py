# SPDX-License-Identifier: Apache-2.0
"""Times between arrivals (Geissler et al., Section 4.1): distributions of gaps and of their sums."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import floor, inf, sqrt

import numpy as np

from nalm_core.models.quantity import ModelInputError, Values, require_positive

STEP_NS = 10.0
"""Length of a step in the paper."""
GAP_BYTES = 20
"""Preamble and gap between Ethernet frames."""


class Arrivals(StrEnum):
    """Family of the distribution of gaps."""

    POISSON = "poisson"
    """A Poisson number of steps. This is no Poisson process: the CV of gaps is 1/sqrt(mean)."""
    GEOMETRIC = "geometric"
    """Geometric on 0, 1, ...: close to a Poisson process; the CV is sqrt((1 + mean) / mean)."""
    CONSTANT = "cbr"
    """One of the two whole numbers of steps next to the mean."""
    NEGATIVE_BINOMIAL = "nbinom"
    """Negative binomial on 0, 1, ... with any CV above 1/sqrt(mean)."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Independent gaps of one distribution. mean: in steps. cv: only of the negative binomial."""

    mean: float
    family: Arrivals = Arrivals.POISSON
    cv: float | None = None

    def __post_init__(self) -> None:
        require_positive("mean gap", self.mean, "steps")
        if (self.cv is not None) != (self.family is Arrivals.NEGATIVE_BINOMIAL):
            raise ModelInputError("CV of gaps", "is given with the negative binomial, and only with it")
        if self.cv is not None and not self.cv**2 * self.mean > 1:
            raise ModelInputError(
                "CV of gaps",
                f"a negative binomial with mean {self.mean:g} steps needs a CV above "
                f"{1 / sqrt(self.mean):.3g}, not {self.cv:g}",
            )

    def scaled(self, factor: float) -> Gaps:
        """The same family with gaps longer by that factor, as one of several equal shares of the traffic."""
        return Gaps(self.mean * factor, self.family, self.cv)

    @property
    def variance(self) -> float:
        match self.family:
            case Arrivals.POISSON:
                return self.mean
            case Arrivals.CONSTANT:
                part = self.mean - floor(self.mean)
                return part * (1 - part)
        return self.mean**2 / self._shape + self.mean

    @property
    def residual_mean(self) -> float:
        """E[R_A] of Eq. 7: mean time from any moment to the next arrival, in steps."""
        return (self.variance + self.mean**2 - self.mean) / (2 * self.mean)

    @property
    def _shape(self) -> float:
        """r of the negative binomial; the geometric distribution has 1."""
        if self.cv is None:
            return 1.0
        return self.mean**2 / ((self.cv * self.mean) ** 2 - self.mean)

    def sums(self, numbers: Values, steps: int) -> Values:
        """P(sum of k gaps <= t), shape (len(numbers), steps): k > 0 of numbers by t = 0..steps - 1."""
        from scipy.special import bdtr, gammaln, xlogy

        k, t = numbers[:, None], np.arange(steps, dtype=float)[None, :]
        if self.family is Arrivals.CONSTANT:
            whole = floor(self.mean)
            over = np.clip(t - k * whole, -1.0, k)
            found = bdtr(np.maximum(over, 0.0), k.astype(int), self.mean - whole)
            return np.asarray(np.where(over < 0, 0.0, found))
        if self.family is Arrivals.POISSON:
            terms = xlogy(t, k * self.mean) - k * self.mean - gammaln(t + 1)
        else:
            shape = k * self._shape
            share = self._shape / (self._shape + self.mean)
            terms = gammaln(t + shape) - gammaln(shape) - gammaln(t + 1)
            terms += shape * np.log(share) + t * np.log1p(-share)
        np.exp(terms, out=terms)
        return np.asarray(np.minimum(np.cumsum(terms, axis=1), 1.0))


def parse_arrivals(text: str) -> tuple[Arrivals, float | None]:
    """Family and CV of `nbinom:2`, or of another family's name. Raises ModelInputError."""
    name, sign, cv = text.partition(":")
    if name not in list(Arrivals):
        raise ModelInputError("--arrivals", f"expected one of {', '.join(Arrivals)}, not {name!r}")
    family = Arrivals(name)
    if bool(sign) != (family is Arrivals.NEGATIVE_BINOMIAL):
        raise ModelInputError(
            "--arrivals", f"a CV is given with {Arrivals.NEGATIVE_BINOMIAL}, and only with it"
        )
    try:
        value = float(cv) if sign else None
    except ValueError:
        value = -1.0
    if value is not None and not 0 < value < inf:
        raise ModelInputError("CV of --arrivals", f"expected a number above 0, not {cv!r}")
    return family, value


def mean_gap(gbits_per_s: float, frame_bytes: float, step_ns: float = STEP_NS) -> float:
    """Steps between frames of that size at that rate, which includes the 20 bytes between frames."""
    require_positive("rate", gbits_per_s, "Gbit/s")
    require_positive("frame", frame_bytes, "bytes")
    return (frame_bytes + GAP_BYTES) * 8 / gbits_per_s / step_ns


def mean_gap_of_rate(packets_per_second: float, step_ns: float = STEP_NS) -> float:
    """Steps between packets at that rate."""
    require_positive("rate", packets_per_second, "packets/s")
    return 1e9 / packets_per_second / step_ns
