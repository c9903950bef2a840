# SPDX-License-Identifier: Apache-2.0
"""The noises that a history may have, with whitening matrices: independent noise plus a slow part (AR(1)).

A short history does not determine its noise, so each counts by its likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints.constants import INDEPENDENT_WEIGHT

Values = NDArray[np.float64]

BLOCK = 128
"""Values with a joint covariance; different blocks count as independent."""
INDEPENDENT = (0.0, 1.0)
"""(share of the slow variance, correlation time in commits) of independent noise."""
QUICK = [(share, decay) for decay in (0.8, 2.0) for share in (0.4, 0.7, 1.0)]
SLOW = [(share, decay) for decay in (5.0, 15.0, 45.0, 135.0) for share in (0.15, 0.4, 0.7, 0.9)]
RIDGE = 1e-6


@dataclass(frozen=True)
class Noises:
    """Covariances of variance 1. whiteners: by noise the inverse W of its Cholesky factor (BLOCK x BLOCK).
    steps: by place k, then noise, W times a step from k on. sums: by place, of the steps up to it. logs: by
    noise and length, the sum of the
    logarithms of W's diagonal. log_prior: by noise."""

    whiteners: Values
    steps: Values
    sums: Values
    logs: Values
    log_prior: Values


@lru_cache(maxsize=1)
def noises() -> Noises:
    """All noises, made at first use."""
    kinds = [INDEPENDENT, *QUICK, *SLOW]
    whiteners = np.array([_whitener(*kind) for kind in kinds])
    steps = np.cumsum(whiteners[:, :, ::-1], axis=2)[:, :, ::-1].transpose(2, 0, 1)
    diagonal = np.diagonal(whiteners, axis1=1, axis2=2)
    logs = np.concatenate([np.zeros((len(kinds), 1)), np.cumsum(np.log(diagonal), axis=1)], axis=1)
    prior = np.full(len(kinds), (1 - INDEPENDENT_WEIGHT) / (len(kinds) - 1))
    prior[0] = INDEPENDENT_WEIGHT
    steps = np.ascontiguousarray(steps)
    return Noises(whiteners, steps, np.cumsum(steps, axis=0), logs, np.log(prior))


def _whitener(share: float, decay: float) -> Values:
    from scipy.linalg import cholesky, solve_triangular, toeplitz

    row = share * np.exp(-np.arange(BLOCK) / decay)
    row[0] += 1 - share + RIDGE
    lower = cholesky(toeplitz(row), lower=True)
    return np.asarray(solve_triangular(lower, np.eye(BLOCK), lower=True))
