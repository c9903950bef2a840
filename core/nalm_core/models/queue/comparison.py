# SPDX-License-Identifier: Apache-2.0
"""A predicted distribution beside a measured one (Geissler et al., Section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nalm_core.models.quantity import ModelInputError, Values
from nalm_core.models.queue.solution import mean


@dataclass(frozen=True, slots=True)
class Agreement:
    """divergence: Jensen and Shannon's, natural logarithm, 0 (equal) to ln 2. relative_error: of the mean, by
    the measured mean. difference: predicted mean less measured mean."""

    divergence: float
    relative_error: float
    difference: float


def jensen_shannon(one: Values, other: Values) -> float:
    """JSD of two distributions on 0, 1, ..., of any lengths."""
    from scipy.special import rel_entr

    size = max(len(one), len(other))
    p, q = (np.pad(each, (0, size - len(each))) for each in (one, other))
    middle = (p + q) / 2
    return float((rel_entr(p, middle) + rel_entr(q, middle)).sum() / 2)


def histogram(counts: Mapping[int, int]) -> Values:
    """Distribution of counted sizes, shape (largest + 1,). Raises ModelInputError without counts."""
    total = sum(counts.values())
    if total <= 0 or min(counts) < 0:
        raise ModelInputError("batches", "expected counts of sizes, at least one above 0")
    found = np.zeros(max(counts) + 1)
    for size, count in counts.items():
        found[size] = count / total
    return found


def agreement(measured: Values, predicted: Values) -> Agreement:
    """The prediction's errors. Raises ModelInputError if the measured mean is 0."""
    real, modelled = mean(measured), mean(predicted)
    if real <= 0:
        raise ModelInputError("batches", "every measured batch is empty")
    return Agreement(jensen_shannon(measured, predicted), abs(modelled - real) / real, modelled - real)
