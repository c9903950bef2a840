# SPDX-License-Identifier: Apache-2.0
"""The expected cost of a feature set: a sum of prices, fitted at one commit (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, sqrt
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model, Name
from nalm_core.stats.quantiles import t_quantile


class Expected(Model):
    """Cycles per packet of a feature set, with the t interval of the fitted mean at `level`; or of a feature
    as it came, with the interval of its run."""

    value: float
    low: float | None
    high: float | None
    """None for both without an error estimate: the model was fitted to as many sets as it has terms."""
    level: float = CONFIDENCE


class Term(Model):
    """Cycles of sets that have all of `features`. Without features: the bare chain; one: its price; two:
    their cost together in addition to both prices."""

    features: list[Name]
    cycles: float
    """Cycles per packet."""


class CostModel(Model):
    """CPP(F) = sum of the terms whose features are all in F."""

    terms: list[Term] = Field(min_length=1)
    covariance: list[list[float]] | None
    """Covariance of the terms' cycles, in their order. None if the fit leaves no error estimate."""
    degrees: float | None = Field(gt=0)
    """Degrees of freedom of the covariance."""
    varied: list[Name]
    """Features measured both off and on."""
    fixed: list[Name] = Field(default_factory=list)
    """Features that were on in every fitted set: the model does not cover sets without them."""
    sets: list[list[Name]]
    """The fitted feature sets."""
    held_out_error: float | None = None
    """Root mean square of the relative error on sets it was not fitted on. None: none were held out."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        known = {*self.varied, *self.fixed}
        for term in self.terms:
            if not known.issuperset(term.features):
                raise ValueError(f"term {term.features}: only {sorted(known)} are varied or fixed")
        size = len(self.terms)
        if self.covariance is not None and [len(row) for row in self.covariance] != [size] * size:
            raise ValueError(f"covariance: expected {size} rows of {size} numbers, one for each term")
        if (self.covariance is None) != (self.degrees is None):
            raise ValueError("covariance and degrees: expected both, or neither")
        return self

    def why_not(self, features: Iterable[str]) -> str | None:
        """Why nothing can be expected of this set; None if something can."""
        chosen = set(features)
        unknown = sorted(chosen.difference(self.varied, self.fixed))
        absent = sorted(set(self.fixed) - chosen)
        if unknown:
            return f"the cost model has no price for {', '.join(unknown)}"
        if absent:
            return f"the cost model was only fitted on sets with {', '.join(absent)}"
        return None

    def expected(self, features: Iterable[str]) -> Expected:
        """Raises ValueError with the sentence of why_not."""
        chosen = set(features)
        if (reason := self.why_not(chosen)) is not None:
            raise ValueError(reason)
        return self._sum([float(chosen.issuperset(term.features)) for term in self.terms])

    def price(self, feature: str) -> Expected | None:
        """Cost that the feature alone adds to the bare chain; None if the model has no such term."""
        chosen = [float(term.features == [feature]) for term in self.terms]
        return self._sum(chosen) if any(chosen) else None

    def _sum(self, chosen: list[float]) -> Expected:
        """The chosen terms' sum, with its interval."""
        value = float(sum(term.cycles for term, one in zip(self.terms, chosen, strict=True) if one))
        if self.covariance is None or self.degrees is None:
            return Expected(value=value, low=None, high=None)
        weights = np.asarray(chosen)
        error = sqrt(max(0.0, float(weights @ np.asarray(self.covariance) @ weights)))
        half = t_quantile(self.degrees, (1 + CONFIDENCE) / 2) * error
        if not isfinite(half):
            return Expected(value=value, low=None, high=None)
        return Expected(value=value, low=value - half, high=value + half)
