# SPDX-License-Identifier: Apache-2.0
"""A finding about the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from nalm_agent.runtime.errors import ExitCode


class Level(StrEnum):
    OK = "ok"
    UNKNOWN = "unknown"
    """Cannot be read on this host, so it is neither fine nor a problem. The value says why."""
    NOTE = "note"
    """Works with a restriction, which the effect describes."""
    FATAL = "fatal"
    """Nothing can be measured."""


@dataclass(frozen=True)
class Finding:
    """One finding. effect and cure are set unless the level is OK."""

    name: str
    level: Level
    value: str
    effect: str | None = None
    cure: str | None = None
    figures: dict[str, float] = field(default_factory=dict)
    """Measured figures, by names that end with their units."""


def ok(name: str, value: str, **figures: float) -> Finding:
    return Finding(name, Level.OK, value, figures=figures)


def note(name: str, value: str, effect: str, cure: str, **figures: float) -> Finding:
    return Finding(name, Level.NOTE, value, effect, cure, figures)


def unknown(name: str, why: str, effect: str, cure: str) -> Finding:
    return Finding(name, Level.UNKNOWN, why, effect, cure)


def severity(findings: Sequence[Finding]) -> ExitCode:
    """0 if this host can measure, else 4."""
    fatal = any(finding.level is Level.FATAL for finding in findings)
    return ExitCode.NOT_MEASURED if fatal else ExitCode.OK
