# SPDX-License-Identifier: Apache-2.0
"""Further families: other laws of noise, mixtures, batches of commits that share an offset, gaps, leaks.

Written before the detector was read. `TUNED_FAMILIES` were tried while it was changed; `HELD_OUT_FAMILIES`
were not, at any seed: they show what a rule is worth on histories that nobody had in mind.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from detection_families import Draft, draft, measured_from, size, spread, steps
from detection_histories import Change, Generator, History, Values


def _batches(made: Draft, sd: float, shortest: int, longest: int) -> None:
    """Commits that were measured in one night share an offset of this spread."""
    at = 0
    while at < len(made):
        end = at + int(made.rng.integers(shortest, longest + 1))
        made.machine[at:end] += made.rng.normal(0, sd)
        at = end


def _law(rng: Generator, sd: float, n: int) -> Values:
    """Noise of one of six laws, of about this spread."""
    kind = int(rng.integers(0, 6))
    if kind == 0:
        return rng.laplace(0, sd / np.sqrt(2), n)
    if kind == 1:
        return rng.uniform(-1.7 * sd, 1.7 * sd, n)
    if kind == 2:
        return sd * (rng.gumbel(0, 0.78, n) - 0.45)
    if kind == 3:
        return rng.normal(0, sd, n) * np.where(rng.random(n) < 0.1, 3.0, 0.8)
    if kind == 4:
        return sd * (rng.exponential(1.0, n) - 1)
    return rng.normal(0, sd, n)


def laplace_noise(rng: Generator) -> History:
    sd = spread(rng)
    made = draft("laplace_noise", rng, sd)
    made.noise = rng.laplace(0, sd / np.sqrt(2), len(made))
    steps(made, 1.2 * sd)
    return made.done()


def contaminated(rng: Generator) -> History:
    """One commit in ten has three to five times the noise of the others."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("contaminated", rng, sd)
    made.noise *= np.where(rng.random(len(made)) < 0.1, rng.uniform(3, 5), 1.0)
    steps(made, 1.4 * sd)
    return made.done()


def placement(rng: Generator) -> History:
    """Each build has one of three layouts in memory, some of which stay for a few commits."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("placement", rng, sd)
    layouts, current = rng.normal(0, 1.2 * sd, 3), 0
    for at in range(len(made)):
        if rng.random() < 0.4:
            current = int(rng.integers(0, 3))
        made.machine[at] += layouts[current]
    steps(made, 1.8 * sd)
    return made.done()


def nightly_batches(rng: Generator) -> History:
    """Batches of 3 to 10 commits with an offset of half to one and a half spreads."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("nightly_batches", rng, sd)
    extra = rng.uniform(0.5, 1.5)
    _batches(made, extra * sd, 3, 10)
    steps(made, float(np.hypot(1, extra)) * 1.3 * sd)
    return made.done()


def leak_and_fix(rng: Generator) -> History:
    """A drift of 4 to 9 % over 30 to 60 commits, undone at once by its fix."""
    sd = spread(rng, 0.0015, 0.004)
    made = draft("leak_and_fix", rng, sd, int(rng.integers(180, 350)))
    begin, length, rise = int(rng.integers(25, 80)), int(rng.integers(30, 61)), rng.uniform(0.04, 0.09)
    made.drift(begin, begin + length, rise)
    made.step(begin + length + int(rng.integers(12, 25)), -rise)
    return made.done()


def uneven_states(rng: Generator) -> History:
    """A state that is never twice of quite the same depth."""
    sd = spread(rng)
    made = draft("uneven_states", rng, sd, int(rng.integers(150, 400)))
    depth, at = size(rng, 1.5 * sd), int(rng.integers(5, 40))
    while at < len(made):
        end = at + int(rng.integers(3, 13))
        made.machine[at:end] += depth * rng.normal(1, 0.1)
        at = end + int(rng.integers(15, 50))
    steps(made, 1.5 * sd)
    return made.done()


def integer_counts(rng: Generator) -> History:
    """Whole numbers of 40 to 400, such as microseconds."""
    sd = spread(rng, 0.002, 0.01)
    made = draft("integer_counts", rng, sd)
    base = rng.uniform(40, 400)
    steps(made, float(np.hypot(sd, 0.3 / base)))
    found = made.done()
    scaled = np.array(found.values) / np.median(found.values) * base
    return History(found.kind, [float(round(v)) for v in scaled], found.changes)


def repeated_values(rng: Generator) -> History:
    """Equal builds are not measured again: one commit in three has the value of the one before."""
    sd = spread(rng)
    made = draft("repeated_values", rng, sd)
    steps(made, 1.3 * sd)
    total = made.noise + made.level
    fixed = {one.low for one in made.changes}
    for at in range(1, len(made)):
        if at not in fixed and rng.random() < 1 / 3:
            total[at] = total[at - 1]
    made.noise = total - made.level
    return made.done()


def gap_over_step(rng: Generator) -> History:
    """The step fell into 10 to 30 commits that nobody measured."""
    sd = spread(rng)
    made = draft("gap_over_step", rng, sd)
    begin = int(rng.integers(20, len(made) - 50))
    away = np.zeros(len(made), dtype=bool)
    away[begin : begin + int(rng.integers(10, 31))] = True
    made.step(begin + int(rng.integers(2, 9)), size(rng, 1.2 * sd))
    found = made.done()
    seen = measured_from(found.changes[0].low, away)
    values = [None if out else v for v, out in zip(found.values, away, strict=True)]
    return History(found.kind, values, [Change(begin, seen)])  # type: ignore[arg-type]


def mixture(rng: Generator) -> History:
    """A law of noise, and each of batches, a state and outliers or not, with steps."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("mixture", rng, sd, int(rng.integers(150, 500)))
    made.noise, whole = _law(rng, sd, len(made)), sd
    if rng.random() < 0.4:
        _batches(made, 0.8 * sd, 4, 12)
        whole = 1.4 * sd
    if rng.random() < 0.4:
        made.state(size(rng, whole))
    if rng.random() < 0.4:
        made.outliers(0.03, 0.03, 0.3)
    steps(made, 1.3 * whole)
    return made.done()


def uniform_noise(rng: Generator) -> History:
    sd = spread(rng)
    made = draft("uniform_noise", rng, sd)
    made.noise = rng.uniform(-1.7 * sd, 1.7 * sd, len(made))
    steps(made, sd)
    return made.done()


def slowest_of_several(rng: Generator) -> History:
    """The largest of many samples is what was kept: Gumbel's law."""
    sd = spread(rng, 0.001, 0.008)
    made = draft("slowest_of_several", rng, sd)
    made.noise = 0.78 * sd * rng.gumbel(0, 1, len(made))
    steps(made, 1.3 * sd)
    return made.done()


def busy_days(rng: Generator) -> History:
    """Batches of 5 to 20 commits on busy days have three times the noise."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("busy_days", rng, sd)
    at = 0
    while at < len(made):
        end = at + int(rng.integers(5, 21))
        made.noise[at:end] *= 3.0 if rng.random() < 0.25 else 1.0
        at = end
    steps(made, 1.8 * sd)
    return made.done()


def weekly_batches(rng: Generator) -> History:
    """Batches of 10 to 25 commits with an offset of one spread."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("weekly_batches", rng, sd)
    _batches(made, sd, 10, 25)
    steps(made, 2 * sd)
    return made.done()


def batches_only(rng: Generator) -> History:
    """Batches of 4 to 15 commits, and no change."""
    sd = spread(rng)
    made = draft("batches_only", rng, sd)
    _batches(made, rng.uniform(0.5, 1.2) * sd, 4, 15)
    return made.done()


def missing_weeks(rng: Generator) -> History:
    """Two to four gaps of 5 to 25 commits, a recurring state, and steps."""
    sd = spread(rng)
    made = draft("missing_weeks", rng, sd, int(rng.integers(180, 400)))
    made.state(size(rng, sd))
    steps(made, 1.3 * sd)
    away = np.zeros(len(made), dtype=bool)
    for _ in range(int(rng.integers(2, 5))):
        at = int(rng.integers(0, len(made) - 30))
        away[at : at + int(rng.integers(5, 26))] = True
    found = made.done()
    values = [None if out else v for v, out in zip(found.values, away, strict=True)]
    begins = [(c, int(np.flatnonzero(~away[: c.low])[-1]) + 1) for c in found.changes]
    changes = [Change(b, measured_from(c.low, away), c.required) for c, b in begins]
    return History(found.kind, values, changes)  # type: ignore[arg-type]


def there_and_back(rng: Generator) -> History:
    """A drift of 4 to 9 %, a plateau, and a drift back."""
    sd = spread(rng, 0.0015, 0.004)
    made = draft("there_and_back", rng, sd, int(rng.integers(280, 400)))
    change, begin = rng.uniform(0.04, 0.09) * rng.choice([-1, 1]), int(rng.integers(25, 60))
    end = begin + int(rng.integers(35, 61))
    back = end + int(rng.integers(25, 50))
    made.drift(begin, end, change)
    made.drift(back, back + int(rng.integers(35, 61)), -change)
    return made.done()


def states_of_three_depths(rng: Generator) -> History:
    """A machine with three further states, in any order."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("states_of_three_depths", rng, sd, int(rng.integers(200, 450)))
    depths, at = [size(rng, 1.3 * sd) for _ in range(3)], int(rng.integers(5, 40))
    while at < len(made):
        end = at + int(rng.integers(3, 13))
        made.machine[at:end] += depths[int(rng.integers(0, 3))]
        at = end + int(rng.integers(12, 35))
    return made.done()


def poisson_counts(rng: Generator) -> History:
    """Counted events: the spread is the root of the level."""
    base = float(np.exp(rng.uniform(np.log(2e3), np.log(3e5))))
    sd = 1 / float(np.sqrt(base))
    made = draft("poisson_counts", rng, sd)
    made.noise *= 0
    steps(made, 1.1 * sd)
    found = made.done()
    rates = np.array(found.values) / np.median(found.values) * base
    return History(found.kind, [float(v) for v in rng.poisson(rates)], found.changes)


def noisier_after_step(rng: Generator) -> History:
    """The change makes the code slower and its time less steady."""
    sd = spread(rng, 0.001, 0.004)
    made = draft("noisier_after_step", rng, sd)
    at, factor = int(rng.integers(20, len(made) - 25)), rng.uniform(1.5, 3)
    made.noise[at:] *= factor
    made.step(at, size(rng, factor * sd))
    return made.done()


def regressed_twice(rng: Generator) -> History:
    """A regression, its fix, and another regression of another size that stays."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("regressed_twice", rng, sd, int(rng.integers(150, 350)))
    at, first = int(rng.integers(15, 50)), abs(size(rng, 1.2 * sd))
    made.step(at, first)
    at += int(rng.integers(14, 30))
    made.step(at, -first)
    made.step(at + int(rng.integers(14, 40)), first * rng.uniform(1.6, 2.5))
    return made.done()


def long_mixture(rng: Generator) -> History:
    """600 to 1,000 commits of a mixture, with up to eight steps and perhaps a drift."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("long_mixture", rng, sd, int(rng.integers(600, 1001)))
    made.noise, whole = _law(rng, sd, len(made)), sd
    if rng.random() < 0.5:
        _batches(made, 0.7 * sd, 4, 12)
        whole = 1.3 * sd
    if rng.random() < 0.5:
        made.state(size(rng, whole), pause=(25, 90))
    if rng.random() < 0.4:
        begin = int(rng.integers(40, len(made) - 150))
        made.drift(begin, begin + int(rng.integers(40, 91)), 16 * whole * rng.choice([-1, 1]))
        zone = begin - 30, made.changes[-1].high + 30
    else:
        zone = 0, 0
    places = np.sort(rng.choice(np.arange(20, len(made) - 10, 25), int(rng.integers(2, 9)), replace=False))
    for at in map(int, places):
        if not zone[0] <= at <= zone[1]:
            made.step(at, size(rng, 1.2 * whole))
    return made.done()


def quiet_of_any_law(rng: Generator) -> History:
    """No change, in noise of one of six laws."""
    sd = spread(rng, 0.0005, 0.02)
    made = draft("quiet_of_any_law", rng, sd, int(rng.integers(30, 600)))
    made.noise = _law(rng, sd, len(made))
    return made.done()


TUNED_FAMILIES: dict[str, Callable[[Generator], History]] = {
    make.__name__: make
    for make in (
        laplace_noise,
        contaminated,
        placement,
        nightly_batches,
        leak_and_fix,
        uneven_states,
        integer_counts,
        repeated_values,
        gap_over_step,
        mixture,
    )
}
HELD_OUT_FAMILIES: dict[str, Callable[[Generator], History]] = {
    make.__name__: make
    for make in (
        uniform_noise,
        slowest_of_several,
        busy_days,
        weekly_batches,
        batches_only,
        missing_weeks,
        there_and_back,
        states_of_three_depths,
        poisson_counts,
        noisier_after_step,
        regressed_twice,
        long_mixture,
        quiet_of_any_law,
    )
}
