# SPDX-License-Identifier: Apache-2.0
"""How experiments are planned and measured. docs/statistics.md quotes these; a test holds it to them."""

from __future__ import annotations

FEW_FEATURES = 6
"""Up to so many optional features are each turned off and on; of more, a fraction of all sets is measured."""
HELD_OUT_SETS = 2
"""Feature sets that are measured but not fitted on: the error is that of predicting them."""
REFERENCE_EVERY = 6
"""The reference is measured against itself at both ends, and after each so many cells."""
CELL_ERROR = 0.004
"""Standard error of ln of a cell's ratio at which it ends, if time is left."""
CELL_SECONDS = 60.0
"""Time for the rounds of a cell, unless a person says otherwise."""
LACK_OF_FIT = 0.01
"""Chance, were prices only added up, of residuals as large, below which they are said not to be."""
REACH_ALPHA = 0.05
"""Chance that a variant which changes nothing is said to reach a chain."""

DOCUMENTED = {name: float(value) for name, value in list(globals().items()) if name.isupper()}
