# SPDX-License-Identifier: Apache-2.0
"""The chain's change by the stages that execute changed code, as it is shown."""

from __future__ import annotations

from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model, Settings
from nalm_core.stats.changed_code import CodeEstimate
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import settings_of_each_test, spent_at
from nalm_core.text.amounts import listed


class CodeRatio(Model):
    """head / base of the chain's CPP, with the change of some of its stages alone."""

    ratio: float
    low: float
    high: float
    level: float
    """Confidence level of low and high."""


class CodeChange(Model):
    """A change of the chain, divided into the stages that execute changed code and all others."""

    stages: list[str]
    """The stages that execute changed code."""
    shown: tuple[str, ...] = ()
    """Others that show a change, though their code is the same."""
    changed: CodeRatio
    """By both, at the level of the test."""
    others: CodeRatio | None
    """By all that remain, at CONFIDENCE: it should be 1. None: every stage shows a change."""
    decided: bool
    """True: these stages decided the outcome, and not the whole chain."""


def code_change(code: CodeEstimate, settings: Settings, look: int, *, decided: bool) -> CodeChange:
    """What an estimate shows at a look."""
    spent = spent_at(settings_of_each_test(settings).alpha, settings, look)
    return CodeChange(
        stages=list(code.stages),
        shown=code.shown,
        changed=_ratio(code.changed, spent),
        others=None if code.others is None else _ratio(code.others, 1 - CONFIDENCE),
        decided=decided,
    )


def in_stages(code: CodeEstimate | CodeChange) -> str:
    """Where the change is, in words: `in nat`, `in nat, with the change in tx`."""
    return f"in {listed(code.stages)}" + (f", with the change in {listed(code.shown)}" if code.shown else "")


def _ratio(estimate: RatioEstimate, error_rate: float) -> CodeRatio:
    low, high = estimate.interval(error_rate)
    return CodeRatio(ratio=estimate.ratio, low=low, high=high, level=1 - error_rate)
