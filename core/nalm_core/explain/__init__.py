# SPDX-License-Identifier: Apache-2.0
"""Why a run's cycles changed: who pays, what grew, how much that explains, and which practices apply."""

from nalm_core.explain.apart import OneSide, explain_apart
from nalm_core.explain.explain import explain
from nalm_core.explain.model import Advice, Evidence, Explanation

__all__ = ["Advice", "Evidence", "Explanation", "OneSide", "explain", "explain_apart"]
