# SPDX-License-Identifier: Apache-2.0
"""Families of histories of known truth: states of the machine, drifts, tails, grids, gaps, early steps.

A family is a function of a random generator; `FAMILIES` names them. Sizes are relative (logarithms), spreads
are standard deviations of one commit. All but faint_steps and long_drift were written before the detector
that they judge was read. Tuning uses seeds from TUNING_SEED on, judging those from JUDGING_SEED on.

What counts as a change of the code: a step, a drift, and a regression with its fix. What does not: a state of
the machine, which holds for 3 to 12 commits and comes again; outliers; a change of the noise alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from detection_histories import Change, Generator, History, Values
from numpy.typing import NDArray
from scipy.signal import lfilter

TUNING_SEED, JUDGING_SEED = 52_000, 870_000
STEPS_APART = 20
"""Least commits between two steps, unless a family says otherwise."""
MIN_SPREADS = 4.0
"""Least size of a step, in standard deviations of one commit."""


@dataclass
class Draft:
    """A history in the making: noise and level as logarithms, the changes to find, what is not scored."""

    family: str
    noise: Values
    rng: Generator
    level: Values = field(init=False)
    machine: Values = field(init=False)
    """What the machine adds; a control series has it too."""
    changes: list[Change] = field(default_factory=list)
    ignore: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.level, self.machine = np.zeros(len(self.noise)), np.zeros(len(self.noise))

    def __len__(self) -> int:
        return len(self.noise)

    def step(self, at: int, size: float) -> None:
        """A change of the code; the last four commits of a history are too few to ask for it."""
        self.level[at:] += size
        self.changes.append(Change(at, at, at < len(self) - 4))

    def drift(self, begin: int, end: int, size: float) -> None:
        """A line from the level of commit begin - 1 to that of commit end."""
        self.level[begin:] += size * np.minimum(np.arange(1, len(self) - begin + 1) / (end - begin + 1), 1)
        self.changes.append(Change(begin, end))

    def state(self, size: float, hold: tuple[int, int] = (3, 12), pause: tuple[int, int] = (15, 50)) -> None:
        """A state of the machine that comes again and again."""
        at = int(self.rng.integers(5, pause[1]))
        while at < len(self):
            end = at + int(self.rng.integers(hold[0], hold[1] + 1))
            self.machine[at:end] += size
            at = end + int(self.rng.integers(*pause))

    def outliers(self, share: float, low: float, high: float, first: int = 0) -> None:
        """Single values, from commit `first` on, that are off by a factor of exp(low) to exp(high)."""
        hit = (self.rng.random(len(self)) < share) & (np.arange(len(self)) >= first)
        self.noise[hit] += self.rng.uniform(low, high, int(hit.sum())) * self.rng.choice(
            [-1, 1], int(hit.sum())
        )

    def done(self) -> History:
        """The history."""
        values = [float(v) for v in self.unit() * np.exp(self.noise + self.machine + self.level)]
        return History(self.family, values, sorted(self.changes, key=lambda one: one.low), tuple(self.ignore))

    def unit(self) -> float:
        """Cycles, nanoseconds, megabytes: anything between a tenth and a million."""
        return float(10 ** self.rng.uniform(-1, 6))


def spread(rng: Generator, low: float = 0.001, high: float = 0.01) -> float:
    """Log-uniform between two standard deviations."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def size(rng: Generator, sd: float, low: float = 0.01, high: float = 0.08) -> float:
    """A step of either sign, of at least MIN_SPREADS of the noise."""
    least = max(low, MIN_SPREADS * sd)
    return float(rng.uniform(least, max(high, 2 * least)) * rng.choice([-1, 1]))


def draft(family: str, rng: Generator, sd: float, n: int | None = None) -> Draft:
    """Normal noise over 80 to 400 commits."""
    n = n or int(rng.integers(80, 400))
    return Draft(family, rng.normal(0, sd, n), rng)


def steps(made: Draft, sd: float, most: int = 3, first: int = 15) -> None:
    """None to `most` steps, at least STEPS_APART commits apart."""
    places = made.rng.permutation(np.arange(first, len(made) - 10))[: int(made.rng.integers(0, most + 1))]
    taken: list[int] = []
    for at in sorted(map(int, places)):
        if not taken or at - taken[-1] >= STEPS_APART:
            taken.append(at)
            made.step(at, size(made.rng, sd))


def recurring_state(rng: Generator) -> History:
    sd = spread(rng)
    made = draft("recurring_state", rng, sd)
    made.state(size(rng, sd))
    return made.done()


def recurring_state_with_steps(rng: Generator) -> History:
    sd = spread(rng)
    made = draft("recurring_state_with_steps", rng, sd, int(rng.integers(150, 400)))
    made.state(size(rng, sd))
    steps(made, sd)
    return made.done()


def two_states(rng: Generator) -> History:
    """A faster and a slower state beside the usual one, in turn."""
    sd = spread(rng)
    made = draft("two_states", rng, sd, int(rng.integers(150, 400)))
    one = abs(size(rng, sd))
    made.state(one, pause=(25, 70))
    made.state(-one * rng.uniform(0.5, 1.5), pause=(25, 70))
    return made.done()


def state_begins_late(rng: Generator) -> History:
    """A machine that had one state for long, and then two."""
    sd = spread(rng)
    made = draft("state_begins_late", rng, sd, int(rng.integers(200, 400)))
    made.state(size(rng, sd))
    made.machine[: len(made) // 3] = 0
    return made.done()


def regression_and_fix(rng: Generator) -> History:
    """Slower for 8 to 30 commits, once: the code."""
    sd = spread(rng)
    made = draft("regression_and_fix", rng, sd)
    at, change = int(rng.integers(15, len(made) - 45)), size(rng, sd)
    made.step(at, change)
    made.step(at + int(rng.integers(8, 31)), -change)
    return made.done()


def slow_drift(rng: Generator) -> History:
    """4 to 10 % over 40 to 90 commits."""
    sd = spread(rng, 0.0015, 0.004)
    made = draft("slow_drift", rng, sd, int(rng.integers(180, 400)))
    begin = int(rng.integers(25, len(made) - 130))
    made.drift(begin, begin + int(rng.integers(40, 91)), rng.uniform(0.04, 0.1) * rng.choice([-1, 1]))
    return made.done()


def slow_drift_to_the_end(rng: Generator) -> History:
    """A drift that has not ended yet."""
    sd = spread(rng, 0.0015, 0.004)
    made = draft("slow_drift_to_the_end", rng, sd, int(rng.integers(120, 300)))
    begin = len(made) - int(rng.integers(40, 80))
    made.drift(begin, len(made) - 1, rng.uniform(0.04, 0.1) * rng.choice([-1, 1]))
    return made.done()


def drift_beside_step(rng: Generator) -> History:
    sd = spread(rng, 0.0015, 0.004)
    made = draft("drift_beside_step", rng, sd, int(rng.integers(220, 400)))
    begin = int(rng.integers(60, len(made) - 140))
    end = begin + int(rng.integers(40, 71))
    made.drift(begin, end, rng.uniform(0.04, 0.09) * rng.choice([-1, 1]))
    at = begin - int(rng.integers(18, 40)) if rng.random() < 0.5 else end + int(rng.integers(18, 40))
    made.step(at, size(rng, sd, 0.02))
    return made.done()


def two_steps(rng: Generator) -> History:
    """Two steps of one direction, 10 to 30 commits apart: no drift."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("two_steps", rng, sd)
    at = int(rng.integers(20, len(made) - 50))
    sign = rng.choice([-1, 1])
    made.step(at, sign * abs(size(rng, sd)))
    made.step(at + int(rng.integers(10, 31)), sign * abs(size(rng, sd)))
    return made.done()


def staircase(rng: Generator) -> History:
    """Three to five steps of one direction."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("staircase", rng, sd, int(rng.integers(180, 350)))
    at, sign = int(rng.integers(20, 60)), rng.choice([-1, 1])
    for _ in range(int(rng.integers(3, 6))):
        made.step(at, sign * abs(size(rng, sd, 0.012, 0.04)))
        at += int(rng.integers(14, 30))
    return made.done()


def heavy_tails(rng: Generator) -> History:
    sd = spread(rng, 0.001, 0.006)
    made = draft("heavy_tails", rng, sd)
    made.noise = sd / 1.6 * rng.standard_t(rng.uniform(1.8, 3), len(made))
    steps(made, 1.5 * sd)
    return made.done()


def slow_side_tail(rng: Generator) -> History:
    """Noise of one sign: a commit is never measured faster than it is, but often slower."""
    sd = spread(rng, 0.001, 0.008)
    made = draft("slow_side_tail", rng, sd)
    made.noise = sd * (rng.gamma(rng.uniform(0.7, 2), 1, len(made)))
    steps(made, 1.5 * sd)
    return made.done()


def quantised(rng: Generator) -> History:
    """A clock of coarse ticks: the noise is 0.3 to 1.5 of them."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("quantised", rng, sd)
    steps(made, sd)
    tick = sd / rng.uniform(0.3, 1.5)
    logs = made.noise + made.level
    made.noise = np.round(logs / tick) * tick - made.level
    return made.done()


def exact_counts(rng: Generator) -> History:
    """Instructions: equal for commits on end, off by parts in a million, with steps of 0.05 to 1 %."""
    made = draft("exact_counts", rng, 1e-6)
    made.noise *= rng.random(len(made)) < 0.3
    for at in sorted(rng.choice(np.arange(15, len(made) - 10, 15), int(rng.integers(0, 4)), replace=False)):
        made.step(int(at), rng.uniform(0.0005, 0.01) * rng.choice([-1, 1]))
    return made.done()


def heteroscedastic(rng: Generator) -> History:
    """The noise swells and ebbs by four."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("heteroscedastic", rng, sd)
    phase, period = rng.uniform(0, 2 * np.pi), rng.uniform(40, 150)
    made.noise *= np.exp(np.log(2) * np.sin(2 * np.pi * np.arange(len(made)) / period + phase))
    steps(made, 2 * sd)
    return made.done()


def noisier_host(rng: Generator) -> History:
    """From one commit on the noise is three to six times as large; the level stays."""
    sd = spread(rng, 0.001, 0.003)
    made = draft("noisier_host", rng, sd)
    at = int(rng.integers(30, len(made) - 30))
    made.noise[at:] *= rng.uniform(3, 6)
    return made.done()


def early_step(rng: Generator) -> History:
    """A step in the first three to eight commits, outliers after it."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("early_step", rng, sd, int(rng.integers(60, 160)))
    at = int(rng.integers(3, 9))
    made.step(at, size(rng, 1.5 * sd, 0.02))
    made.outliers(0.06, 0.05, 0.3, first=at + 2)
    return made.done()


def outliers_in_bursts(rng: Generator) -> History:
    """One or two values in a row that are off by 5 to 50 %."""
    sd = spread(rng)
    made = draft("outliers_in_bursts", rng, sd)
    for at in np.flatnonzero(rng.random(len(made) - 3) < 0.04):
        made.noise[at : at + int(rng.integers(1, 3))] += rng.uniform(0.05, 0.4)
    steps(made, sd)
    return made.done()


def autocorrelated(rng: Generator) -> History:
    sd = spread(rng)
    made = draft("autocorrelated", rng, sd)
    phi = rng.uniform(0.3, 0.8)
    made.noise = np.asarray(
        lfilter([np.sqrt(1 - phi * phi)], [1.0, -phi], rng.normal(0, sd, len(made) + 50))
    )[50:]
    steps(made, 1.7 * sd)
    return made.done()


def weekly_swing(rng: Generator) -> History:
    """A swing of 7 to 40 commits, of one to two standard deviations."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("weekly_swing", rng, sd)
    turns = np.arange(len(made)) / rng.uniform(7, 40) + rng.random()
    made.machine += sd * rng.uniform(1, 2) * np.sin(2 * np.pi * turns)
    steps(made, 2 * sd)
    return made.done()


def gaps(rng: Generator) -> History:
    """A tenth to four tenths of the commits were not measured, some of them in a row."""
    sd = spread(rng)
    made = draft("gaps", rng, sd)
    steps(made, sd)
    away = rng.random(len(made)) < rng.uniform(0.1, 0.3)
    at = int(rng.integers(0, len(made) - 20))
    away[at : at + int(rng.integers(5, 15))] = True
    found = made.done()
    values = [None if out else v for v, out in zip(found.values, away, strict=True)]
    changes = [
        Change(*(measured_from(at, away),) * 2, one.required) for one in found.changes for at in [one.low]
    ]
    return History(found.kind, values, changes, found.ignore)  # type: ignore[arg-type]


def measured_from(at: int, away: NDArray[np.bool_]) -> int:
    """The first measured commit from this one on, which is where a change can be seen."""
    return int(np.flatnonzero(~away[at:])[0]) + at


def samples(rng: Generator) -> History:
    """Three to seven samples a commit, one in twenty of them missing, one in thirty far off."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("samples", rng, sd / 2)
    steps(made, sd)
    found = made.done()
    values = []
    for v in found.values:
        count = int(rng.integers(3, 8))
        each = v * np.exp(rng.normal(0, sd, count)) * np.where(rng.random(count) < 1 / 30, 1.3, 1.0)
        values.append([None if rng.random() < 0.05 else float(s) for s in each])
    return History(found.kind, values, found.changes, found.ignore)  # type: ignore[arg-type]


def small_steps(rng: Generator) -> History:
    """1 % at 0.3 %."""
    made = draft("small_steps", rng, 0.003, int(rng.integers(100, 200)))
    made.step(int(rng.integers(40, len(made) - 20)), float(np.log(1.01)) * rng.choice([-1, 1]))
    return made.done()


def five_spreads(rng: Generator) -> History:
    """A step of five to six standard deviations in noise of any kind."""
    sd = spread(rng, 0.001, 0.01)
    made = draft("five_spreads", rng, sd, int(rng.integers(60, 250)))
    if rng.random() < 0.4:
        made.noise = sd / 1.6 * rng.standard_t(2.5, len(made))
    made.step(int(rng.integers(12, len(made) - 8)), sd * rng.uniform(5, 6) * rng.choice([-1, 1]))
    return made.done()


def faint_steps(rng: Generator) -> History:
    """Steps of two and a half to four standard deviations."""
    sd = spread(rng, 0.002, 0.01)
    made = draft("faint_steps", rng, sd, int(rng.integers(120, 300)))
    at = int(rng.integers(25, 60))
    while at < len(made) - 20:
        made.step(at, sd * rng.uniform(2.5, 4) * rng.choice([-1, 1]))
        at += int(rng.integers(40, 90))
    return made.done()


def long_drift(rng: Generator) -> History:
    """3 to 6 % over 100 to 180 commits, at 0.3 to 0.6 % noise."""
    sd = spread(rng, 0.003, 0.006)
    made = draft("long_drift", rng, sd, int(rng.integers(280, 400)))
    begin = int(rng.integers(25, len(made) - 200))
    made.drift(begin, begin + int(rng.integers(100, 181)), rng.uniform(0.03, 0.06) * rng.choice([-1, 1]))
    return made.done()


def short_history(rng: Generator) -> History:
    """20 to 40 commits, with one step or none."""
    sd = spread(rng)
    made = draft("short_history", rng, sd, int(rng.integers(20, 41)))
    if rng.random() < 0.6:
        made.step(int(rng.integers(8, len(made) - 7)), size(rng, 1.5 * sd))
    return made.done()


def only_noise(rng: Generator) -> History:
    """Nothing, in normal noise, with tails, or with some memory."""
    sd = spread(rng)
    made = draft("only_noise", rng, sd, int(rng.integers(30, 500)))
    kind = rng.integers(0, 3)
    if kind == 1:
        made.noise = sd / 1.5 * rng.standard_t(2.5, len(made))
    elif kind == 2:
        made.noise = np.asarray(lfilter([1.0], [1.0, -0.4], made.noise))
    return made.done()


def wandering(rng: Generator) -> History:
    """A level that returns slowly: one and a half spreads, remembered over 10 to 30 commits."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("wandering", rng, sd)
    phi = float(np.exp(-1 / rng.uniform(10, 30)))
    shocks = rng.normal(0, 1.5 * sd * np.sqrt(1 - phi * phi), len(made) + 100)
    made.machine += np.asarray(lfilter([1.0], [1.0, -phi], shocks))[100:]
    steps(made, 3 * sd)
    return made.done()


def new_level_every_time(rng: Generator) -> History:
    """Many small changes, as a young project has them: a step each 12 to 25 commits, up and down."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("new_level_every_time", rng, sd)
    at = int(rng.integers(12, 25))
    while at < len(made) - 6:
        made.step(at, size(rng, 1.3 * sd, 0.012, 0.06))
        at += int(rng.integers(12, 26))
    return made.done()


FAMILIES: dict[str, Callable[[Generator], History]] = {
    make.__name__: make
    for make in (
        recurring_state,
        recurring_state_with_steps,
        two_states,
        state_begins_late,
        regression_and_fix,
        slow_drift,
        slow_drift_to_the_end,
        drift_beside_step,
        two_steps,
        staircase,
        heavy_tails,
        slow_side_tail,
        quantised,
        exact_counts,
        heteroscedastic,
        noisier_host,
        early_step,
        outliers_in_bursts,
        autocorrelated,
        weekly_swing,
        gaps,
        samples,
        small_steps,
        five_spreads,
        faint_steps,
        long_drift,
        short_history,
        only_noise,
        wandering,
        new_level_every_time,
    )
}
