# SPDX-License-Identifier: Apache-2.0
"""Constants of experiments. docs/statistics.md quotes them, which a test checks."""

from __future__ import annotations

FEW_FEATURES = 6
"""Up to this number, each optional feature is turned off and on; of more, a fraction of all sets is
measured."""
HELD_OUT_SETS = 2
"""Number of feature sets that are measured but not fitted; the error of their prediction is the model's."""
REFERENCE_EVERY = 6
"""The reference is measured against itself at both ends, and after this number of cells."""
CELL_ERROR = 0.004
"""Standard error of the logarithm of a cell's ratio at which the cell ends early."""
CELL_PILOT = 12
"""First launches of a cell, whose scatter decides how many it has."""
CELL_SECONDS = 60.0
"""Default time for the rounds of a cell."""
LACK_OF_FIT = 0.01
"""Probability of residuals as large under additive prices, below which these are rejected."""
REACH_ALPHA = 0.05
"""Probability that a variant without any effect is reported to reach a chain."""

DOCUMENTED = {name: float(value) for name, value in list(globals().items()) if name.isupper()}
