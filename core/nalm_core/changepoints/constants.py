# SPDX-License-Identifier: Apache-2.0
"""Constants of the detector. docs/statistics.md quotes them, which a test checks."""

from __future__ import annotations

MIN_VALUES = 6
"""Least number of values for change points: fewer do not show the noise."""
WINDOW = 384
"""Values judged together."""
HOP = 192
"""Distance of windows. Each window decides about its middle."""
CHANGE_PENALTY = 6.0
"""Least gain of a candidate, in nats."""
STATE_PENALTY = 4.5
"""The same of a candidate for a visit of a recurring state, and for the levels that show the noise."""
MIN_EFFECT = 1.4
"""Smallest reported change, in standard deviations of one value's noise, including its slow part."""
MIN_Z = 3.3
"""Smallest size of a change in standard errors, which include the noise's correlation."""
INDEPENDENT_WEIGHT = 0.3
"""Prior weight of noise without a slow part."""
SURE_Z = 9.0
"""A change of this number of standard errors is accepted without further tests."""
NEW_STEP_NATS = 3.0
"""Evidence required of a change with `NEW_STEP_VALUES` values on its shorter side."""
NEW_STEP_VALUES = 5
NATS_PER_VALUE = 0.4
"""Further evidence required per further value on that side ..."""
OLD_STEP_NATS = 6.0
"""... up to this total."""
SHORT_NATS = 3.0
"""Further evidence required in a short history, which shows little of slow noise ..."""
SHORT_VALUES = 30
"""... in full up to this length, and less in inverse proportion to longer ones."""
GRADUAL_NATS = 4.0
"""Further evidence required of a change that is not sharp, since slow noise looks alike."""
BATCH_CHANGES = 3.5
"""More changes than this that are like those between batches show that a history has batches ..."""
BATCH_EFFECT = 3.0
"""... which are at most of this size, in standard deviations of one value's noise ..."""
BATCH_VALUES = 25
"""... and of this length, in values; up to a third larger and twice as long ones count in part."""
BATCH_NATS = 8.0
"""Further evidence required there of each such change."""
DRIFT_NATS = 10.0
"""Nats by which drifts have to explain a history better than steps alone."""
SHARP_SHARE = 0.6
"""A change is sharp if this share of it happens at once ..."""
SHARP_Z = 2.5
"""... and is this many standard errors there."""
EXCURSION_VALUES = 6
"""Excursions of fewer values are outliers, not two changes."""
RETURN_SHARE = 0.35
"""An excursion returns if less than this share of it remains."""
STATE_VALUES = 13
"""Longest visit of a recurring state of the machine, in values."""
STATE_VISITS = 3
"""Visits of recurring states beside which a short level that returns once is one, too."""
STATE_Z = 2.5
"""Standard errors by which visits of one state may differ ..."""
STATE_SHARE = 0.15
"""... or this share of their size ..."""
OPEN_STATE_SHARE = 0.25
"""... which is this one while a visit has not ended."""
EVEN_NATS = 9.0
"""Evidence of a change that noise explains as well as not, for its p value."""
OUTLIER_NATS = 1.95
"""Most evidence from each value between a change and an end of its history, since it may be an outlier ..."""
OUTLIER_EVEN_NATS = 4.6
"""... of which outliers explain so much as well as not ..."""
STATES_EVEN_NATS = 8.8
"""... which is this much where states of the machine are known: the values may be another one."""
SUSPECTED = 0.7
"""Probability below which a change is only suspected."""
EVIDENT_NATS = 8.0
"""Evidence of a change with `NEW_STEP_VALUES` values that is there with this probability ..."""
LATE_NATS = 0.6
"""... more of it for each time that it shows after e times as many values ..."""
LATE_VALUES = 40
"""... up to so many ..."""
YOUNG_NATS = 2.0
"""... more if only `SHORT_VALUES` values are before it; for other numbers in inverse proportion ..."""
VISITED_NATS = 8.0
"""... and more where recurring states are known: the machine moves by itself."""
OWN_NATS = 4.5
"""Evidence that noise gives somewhere by chance. Where runs of values inside a level give more, evidence
counts for less, in proportion ..."""
OWN_VALUES = 12
"""... for runs of up to so many values; of a change with more values after it, by the root of it."""
EVIDENCE_SLOPE = 0.3
"""Log odds of a change for each nat of evidence. Less than 1, since the noise is not quite as supposed."""
FEW_VALUES_ODDS = 3.0
"""Most log odds for each value of the shorter level ..."""
FEW_VALUES_EVEN = 5.5
"""... less this: its values may be outliers."""
STATE_PAUSE = 60
"""A machine with states shows one among this number of values."""
VISITS_YOUNG = 0.325
"""Share of new levels that are first visits of a state, after fewer values or with known states ..."""
VISITS_OLD = 0.07
"""... and elsewhere."""
RETURNS = 0.25
"""Probability that a level of no more values than a visit, which returned, was of the code ..."""
RETURNS_OLD = 0.85
"""... and after `STATE_PAUSE` values without a visit."""
RUN_NATS = 5.0
"""Nats by which a level's values must be unlikelier as noise around a neighbouring level, for each change."""
POSITION_LEVEL = 0.95
"""Level of the interval of a change's position."""
HOST_TURNS = 3
"""Least number of one host's values near values of another for the two to be compared."""
HOST_REACH = 6
"""Distance in commits up to which values are near."""
MOST_HOST_CHANGES = 8
"""Most changes of hosts reported between two changes of environment."""
CONTROL_CLIP = 4.0
"""Standard deviations at which control values are clipped."""

DOCUMENTED = {name: float(value) for name, value in list(globals().items()) if name.isupper()}
