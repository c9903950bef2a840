# SPDX-License-Identifier: Apache-2.0
"""A verdict in one line, for a commit status or the subject of a mail."""

from __future__ import annotations

from nalm_core.report.outcome import CHANGED, Outcome
from nalm_core.text.percents import bracketed_percent, change_percent
from nalm_core.text.plain_text import plain
from nalm_core.verdict.verdict import ChangeSize, Verdict
from nalm_core.verdict.wording import price_text

CAUSES = {"instructions": "instructions", "pipeline": "pipeline use", None: "cause unknown"}
MANY = 3
"""Largest number of stages that are named; more are counted."""


def line(verdict: Verdict, limit: int = 140) -> str:
    """Outcome, size and cause: `regressed +3.1 % [2.6, 3.7] in nat: pipeline use; 12 instructions more`.

    Under load, where no cycles are judged, it is the outcome with the figures that changed.
    One line of at most `limit` characters, without control characters whatever names in a commit contain.
    """
    return cut(_text(verdict), limit)


def cut(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters long."""
    shown = " ".join("".join(char if char.isprintable() else " " for char in plain(text)).split())
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def _text(verdict: Verdict) -> str:
    size = _size(verdict.size)
    if verdict.outcome in CHANGED:
        changed = f"{verdict.outcome} {size}{_where(verdict)}{_why(verdict)}"
        return changed if size else f"{verdict.outcome}: {verdict.summary}"
    if verdict.outcome == Outcome.BROKEN:
        return f"broken: {verdict.reason}"
    if verdict.outcome == Outcome.INVALID:
        return f"could not measure: {verdict.reason}"
    if verdict.features_added or verdict.features_removed:
        price = price_text(verdict.features_added, verdict.features_removed, verdict.feature_split)
        return f"{verdict.outcome}, features {price}"
    return f"{verdict.outcome} {size}" if size else f"{verdict.outcome}: {verdict.summary}"


def _size(size: ChangeSize | None) -> str:
    if size is None:
        return ""
    change = change_percent(size.ratio - 1)
    if size.low is None or size.high is None:
        return change
    return f"{change} {bracketed_percent(size.low - 1, size.high - 1)}"


def _where(verdict: Verdict) -> str:
    stages = verdict.culprit_stages
    if not stages:
        return ""
    return (
        f" in {', '.join(stages)}" if len(stages) <= MANY else f" in {stages[0]} and {len(stages) - 1} more"
    )


def _why(verdict: Verdict) -> str:
    text = f": {CAUSES[verdict.cause]}"
    pays = set(verdict.culprit_stages)
    counted = [one for one in verdict.instruction_changes if not pays or one.stage in pays]
    if not counted:
        return text
    more = sum((one.head_ipp or 0.0) - (one.base_ipp or 0.0) for one in counted)
    size = f"{abs(more):.0f}" if abs(more) >= 10 else f"{abs(more):.1f}"
    return f"{text}; {size} instructions {'more' if more > 0 else 'fewer'}"
