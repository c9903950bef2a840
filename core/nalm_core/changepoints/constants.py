# SPDX-License-Identifier: Apache-2.0
"""What the detector decides by. docs/statistics.md quotes these; a test holds it to them."""

from __future__ import annotations

MIN_VALUES = 6
"""Shorter histories have no change points: a noise cannot be told from them."""
WINDOW = 384
"""Values judged together."""
HOP = 192
"""Distance of windows; each decides for its middle."""
CHANGE_PENALTY = 6.0
"""Nats that a change of level must gain to be a candidate."""
MIN_EFFECT = 1.4
"""Smallest change told, in standard deviations of one value's noise, its slow part included."""
MIN_Z = 3.3
"""Smallest size of a change in its standard errors, correlation of the noise taken into account."""
INDEPENDENT_WEIGHT = 0.3
"""Prior weight of noise without a slow part, among all that a history may have."""
SURE_Z = 9.0
"""A change of so many standard errors is not asked again."""
NEW_STEP_NATS = 3.0
"""Evidence asked of a change with `NEW_STEP_VALUES` values on its shorter side."""
NEW_STEP_VALUES = 5
NATS_PER_VALUE = 0.4
"""More is asked of a change that had more values to show itself ..."""
OLD_STEP_NATS = 6.0
"""... up to this."""
SHORT_NATS = 3.0
"""More is asked in a history of few values, which say little of slow noise ..."""
SHORT_VALUES = 30
"""... all of it of one so short, less of longer ones in inverse proportion."""
GRADUAL_NATS = 4.0
"""More is asked of a change that is not sharp: slow noise looks like it."""
SHARP_SHARE = 0.6
"""A change is sharp if this share of it happens at once ..."""
SHARP_Z = 2.5
"""... and is this many standard errors there."""
EXCURSION_VALUES = 5
"""Fewer values that go and come back are outliers, not two changes."""
RETURN_SHARE = 0.35
"""They came back if what is left of the excursion is less than this share of it."""
OUTLIER_NATS = 3.2
"""Evidence that one value gives at most of a level at either end of a history: it may be an outlier."""
RUN_NATS = 5.0
"""Nats by which a level's values are unlikelier as noise around the level beside it, for each change less."""
POSITION_LEVEL = 0.95
"""Of the interval of a change's position."""
HOST_TURNS = 3
"""Hosts are compared if so many values of one were near one of the other."""
HOST_REACH = 6
"""Commits that are near."""
MOST_HOST_CHANGES = 8
"""Changes of hosts told of a history between two changes of environment."""
CONTROL_CLIP = 4.0
"""Standard deviations beyond which a control value says no more of its host."""

DOCUMENTED = {name: float(value) for name, value in list(globals().items()) if name.isupper()}
