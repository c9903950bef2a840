# SPDX-License-Identifier: Apache-2.0
"""What a look at the host comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from nalm_agent.runtime.errors import ExitCode


class Level(StrEnum):
    OK = "ok"
    UNKNOWN = "unknown"
    """Cannot be read here: neither fine nor a problem. The value says why."""
    NOTE = "note"
    """Works, with less: the effect says how."""
    FATAL = "fatal"
    """Nothing can be measured."""


@dataclass(frozen=True)
class Finding:
    """One look. effect and cure are there unless it is ok."""

    name: str
    level: Level
    value: str
    effect: str | None = None
    cure: str | None = None
    figures: dict[str, float] = field(default_factory=dict)
    """What was measured, by name with its unit."""


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
