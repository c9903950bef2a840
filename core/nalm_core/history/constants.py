# SPDX-License-Identifier: Apache-2.0
"""Constants of linked histories, with their meaning in docs/statistics.md."""

from __future__ import annotations

LEAST_ERROR = 1e-5
"""Least standard error of a link, relative: builds of equal counts still differ in layout."""
MISFIT = 3.0
"""Standard errors of its difference from all others beyond which a link loses weight and is named."""
BRIDGE = 1e-6
"""A link that carries all but this share of what is known between its ends is confirmed by no other."""
MOST_ITERATIONS = 200
"""None of 650 random histories with up to 30 % of outlying links needed more than 40."""
LONGER_STEP = 1.5
"""Factor of the share of its change that a weight goes, after a change in the same direction."""
SETTLED = 0.05
"""Largest change of a weight, in logarithms, at which the iteration ends."""
MIN_CHECKS = 12
"""Fewer links with another way between their ends do not show whether errors are too small."""
NORMAL_MEDIAN = 0.6745
"""Median of the absolute value of a standard normal variable."""

ANCHOR_RUNS = 20
"""Newest runs whose values give the unit of a linked history."""
STEP_RUNS = 30
"""Runs on each side of a change of environment that show its size."""

LINK_RATIO = 4
"""Planned links lead over powers of this number of commits."""
LINK_STRIDE = 4
"""Links of d commits begin this many times the root of d apart."""
LINK_LONGEST = 4096
LINK_RELEASES = 4
"""Releases before it that a release is compared with."""
LINK_GAIN = 0.1
"""A link is planned if it takes at least this share from the variance between its ends."""

DOCUMENTED: dict[str, float] = {
    name: value
    for name, value in globals().items()
    if name
    in {
        "LEAST_ERROR",
        "MISFIT",
        "MIN_CHECKS",
        "ANCHOR_RUNS",
        "STEP_RUNS",
        "LINK_RATIO",
        "LINK_STRIDE",
        "LINK_LONGEST",
        "LINK_RELEASES",
        "LINK_GAIN",
    }
}
