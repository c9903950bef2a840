# SPDX-License-Identifier: Apache-2.0
"""The part of a regression that later commits recovered, and the part that remains.

Without a run of the last good commit against the fix, what remains is the product of the regression's ratio
and of each fix's. Its interval assumes that these runs are independent and that no other commit between them
moved the chain. docs/statistics.md has the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Literal

from nalm_core.findings.confirmation import Ratio, quantile, standard_error
from nalm_core.report.catalogue import title_of
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model
from nalm_core.text.commit_name import short
from nalm_core.text.percents import bracketed_percent, change_percent, share_percent
from nalm_core.verdict.metric_change import MetricChange


class Recovery(Model):
    """One scenario of a regression after its fixes. Ratios are after / before, of the chain's CPP, or of a
    stage's CPP if only a history of the stage shows the regression; of a run under load, of the figure that
    regressed most."""

    scenario: str
    metric: str | None = None
    """The figure of a run under load; None: CPP."""
    title: str | None = None
    """Of the figure, as people read it."""
    better: Literal["lower", "higher"] = "lower"
    """Of the figure. The ratios of one that is better when it is higher are inverted: above 1 is worse."""
    lost: float
    """Culprit / last good."""
    remains: float
    """Last fix / last good; `lost` if nothing was recovered."""
    low: float | None = None
    high: float | None = None
    """Interval of `remains` at `level`; None if a ratio has no interval, such as a history's."""
    level: float | None = None
    margin: float
    """Relative change that matters in this scenario."""
    fixes: list[str]
    """Commits that recovered a part, oldest first."""
    direct: bool = False
    """True: measured by a run of the last good commit against the last fix. False: computed."""
    run_id: str | None = None
    """The run of a direct measurement."""

    @property
    def complete(self) -> bool:
        """True if at most the margin remains."""
        return bool(self.fixes) and self.remains <= 1 + self.margin


def product(ratios: Sequence[Ratio], level: float = CONFIDENCE) -> Ratio:
    """Independent changes one after another, as one change: logarithms add, and so do their variances.

    ratios: at least one. Raises ValueError for an interval that is none: low and high are above 0 and differ.
    """
    total = sum(log(one.ratio) for one in ratios)
    half = quantile(level) * sum(standard_error(one) ** 2 for one in ratios) ** 0.5
    return Ratio(exp(total), exp(total - half), exp(total + half), level)


def computed(
    scenario: str,
    lost: Ratio | float,
    fixes: Sequence[tuple[str, Ratio | float]],
    margin: float,
    figure: MetricChange | None = None,
) -> Recovery:
    """From the regression's own change and that of each fix; a bare figure has no interval. figure: of a run
    under load."""
    changes = [lost, *(change for _, change in fixes)]
    known = [one for one in changes if isinstance(one, Ratio) and 0 < one.low < one.high]
    whole = product(known) if len(known) == len(changes) else None
    of_figure = (
        {}
        if figure is None
        else {"metric": figure.metric, "title": title_of(figure.metric), "better": figure.better}
    )
    return Recovery(
        **of_figure,
        scenario=scenario,
        lost=_figure(lost),
        remains=exp(sum(log(_figure(one)) for one in changes)),
        low=whole.low if whole else None,
        high=whole.high if whole else None,
        level=whole.level if whole else None,
        margin=margin,
        fixes=[sha for sha, _ in fixes],
    )


def _figure(change: Ratio | float) -> float:
    return change.ratio if isinstance(change, Ratio) else change


def recovery_text(one: Recovery) -> str:
    """`recovered 7.1 of 11.6 %, remains +4.5 % [-3.2, +12.8]`: both of the cycles before the regression, or
    of the figure, which is named."""
    lost, left = _own(one, one.lost), _own(one, one.remains)
    remains = f"remains {change_percent(left)}"
    if one.low is not None and one.high is not None:
        low, high = sorted((_own(one, one.low), _own(one, one.high)))
        remains += f" {bracketed_percent(low, high)}"
    worse = -1 if one.better == "higher" else 1
    recovered = share_percent(worse * (lost - left)).removesuffix(" %")
    named = f"{one.title}: " if one.title else ""
    return f"{named}recovered {recovered} of {share_percent(worse * lost)}, {remains}"


def _own(one: Recovery, worse: float) -> float:
    """The figure's relative change, from its ratio for the worse."""
    return (1 / worse if one.better == "higher" else worse) - 1


def undoing_text(culprit: str, one: Recovery | None) -> str:
    """A fix in a few words: `undoes 0862602 in part, remains +4.5 %`. None: the recovery is unknown."""
    if one is None:
        return f"undoes half or more of {short(culprit)}"
    part = "" if one.complete else " in part"
    return f"undoes {short(culprit)}{part}, remains {change_percent(_own(one, one.remains))}"
