# SPDX-License-Identifier: Apache-2.0
"""Compares records with the expectations of their mutants' headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nalm_core.report.outcome import ALARMING

from nalm_agent.mutants.record import AA_KIND, Record

By = Literal["cycles", "instructions"]
FOUND_IN_CYCLES = frozenset({"regressed", "improved"})


@dataclass(frozen=True)
class Score:
    found: bool
    by: By | None = None
    """By which figures it was found; None if it is broken or was not found."""
    stage_right: bool | None = None
    """None: the header names none, or it was not found."""
    cause_right: bool | None = None
    short: str | None = None
    """Why the record falls short of the header; None if it does not."""


def is_planted(record: Record) -> bool:
    """True if the record has a planted change."""
    return record.expected.expect != "same"


def is_aa(record: Record) -> bool:
    """True for a comparison of the same code."""
    return record.expected.kind == AA_KIND


def is_alarm(record: Record) -> bool:
    """True if the verdict is a change."""
    return record.outcome in ALARMING


def score(record: Record) -> Score | None:
    """The score; None if the mutant cannot be measured on that host."""
    if record.outcome == "skipped":
        return None
    if record.outcome == "error":
        return Score(False, short=f"could not be measured: {record.reason}")
    if not is_planted(record):
        wrong = is_alarm(record) or record.outcome == "invalid"
        return Score(not wrong, short=f"called {record.outcome}, nothing has changed" if wrong else None)
    expect = record.expected.expect
    if record.outcome == expect:
        return _found_in_cycles(record) if expect in FOUND_IN_CYCLES else Score(True)
    if _below_the_margin(record) and (stages := _by_instructions(record)):
        right = record.expected.stage in stages
        named = ", ".join(stages)
        return Score(right, "instructions", right, True, None if right else f"instructions name {named}")
    return Score(False, short=f"called {record.outcome}, expected {expect}")


def _found_in_cycles(record: Record) -> Score:
    expected = record.expected
    stage = None if expected.stage is None else expected.stage in record.culprit_stages
    cause = None if expected.cause is None else expected.cause == record.cause
    short = []
    if stage is False:
        named = ", ".join(record.culprit_stages) or "none"
        short.append(f"blamed {named}, expected {expected.stage}")
    if cause is False:
        short.append(f"cause {record.cause or 'none'}, expected {expected.cause}")
    return Score(True, "cycles", stage, cause, "; ".join(short) or None)


def _below_the_margin(record: Record) -> bool:
    """True if the effect on cycles is below the margin, by the header's figure or by this run's."""
    if record.outcome not in ("same", "inconclusive") or record.expected.cause != "instructions":
        return False
    margin = record.margin or 0.0
    says = record.expected.cpp is not None and abs(record.expected.cpp) < margin
    return says or (record.ratio_cpp is not None and abs(record.ratio_cpp - 1) < margin)


def _by_instructions(record: Record) -> list[str]:
    """Stages whose instructions changed in the expected direction, largest first."""
    sign = 1 if record.expected.expect == "regressed" else -1
    changes = [change for change in record.instruction_changes if change.chain_share * sign > 0]
    return [change.stage for change in sorted(changes, key=lambda one: -abs(one.chain_share))]
