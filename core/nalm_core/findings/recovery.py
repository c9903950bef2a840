# SPDX-License-Identifier: Apache-2.0
"""The part of a regression that later commits recovered, and the part that remains.

Without a run of the last good commit against the fix, what remains is the product of the regression's ratio
and of each fix's. Its interval assumes that these runs are independent and that no other commit between them
moved the chain. docs/statistics.md has the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from nalm_core.findings.confirmation import Ratio, quantile, standard_error
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model
from nalm_core.text.commit_name import short
from nalm_core.text.percents import change_percent, share_percent


class Recovery(Model):
    """One scenario of a regression after its fixes. Ratios are after / before, of the chain's CPP, or of a
    stage's CPP if only a history of the stage shows the regression."""

    scenario: str
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
    scenario: str, lost: Ratio | float, fixes: Sequence[tuple[str, Ratio | float]], margin: float
) -> Recovery:
    """From the regression's own change and that of each fix; a bare figure has no interval."""
    changes = [lost, *(change for _, change in fixes)]
    known = [one for one in changes if isinstance(one, Ratio) and 0 < one.low < one.high]
    whole = product(known) if len(known) == len(changes) else None
    return Recovery(
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
    """`recovered 7.1 of 11.6 %, remains +4.5 % [-3.2, +12.8]`: both of the cycles before the regression."""
    remains = f"remains {change_percent(one.remains - 1)}"
    if one.low is not None and one.high is not None:
        remains += f" [{100 * (one.low - 1):+.1f}, {100 * (one.high - 1):+.1f}]"
    recovered = share_percent(one.lost - one.remains).removesuffix(" %")
    return f"recovered {recovered} of {share_percent(one.lost - 1)}, {remains}"


def undoing_text(culprit: str, one: Recovery | None) -> str:
    """A fix in a few words: `undoes 0862602 in part, remains +4.5 %`. None: the recovery is unknown."""
    if one is None:
        return f"undoes half or more of {short(culprit)}"
    part = "" if one.complete else " in part"
    return f"undoes {short(culprit)}{part}, remains {change_percent(one.remains - 1)}"
