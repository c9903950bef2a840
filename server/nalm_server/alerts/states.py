# SPDX-License-Identifier: Apache-2.0
"""States of an alert, and which may follow which: every change goes through this table."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from nalm_server.base.errors import ConflictError


class AlertState(StrEnum):
    """new -> confirmed -> acknowledged -> partly fixed -> fixed, or one of the other ways a finding ends."""

    NEW = "new"
    """Suspected; measured again before anyone is told."""
    CONFIRMED = "confirmed"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"
    PARTLY_FIXED = "partly_fixed"
    """Taken back in part: more than the margin remains in a scenario, so it stays open."""
    FIXED = "fixed"
    FALSE_ALARM = "false_alarm"
    """A person says so."""
    REOPENED = "reopened"
    DISMISSED = "dismissed"
    """The second measurement did not see it, or another alert has it."""


S = AlertState
ACTIVE = (S.NEW, S.CONFIRMED, S.ACKNOWLEDGED, S.PARTLY_FIXED, S.REOPENED)
"""Somebody or something has still to do with it."""
OPEN = (S.CONFIRMED, S.ACKNOWLEDGED, S.PARTLY_FIXED, S.REOPENED)
"""People were told of it or took it up, and somebody has still to do with it."""
OVER = (S.EXPECTED, S.FIXED, S.FALSE_ALARM, S.DISMISSED)
REPORTED = (S.CONFIRMED, S.PARTLY_FIXED, S.FIXED, S.REOPENED)
BY_PEOPLE = (S.ACKNOWLEDGED, S.EXPECTED, S.FIXED, S.FALSE_ALARM, S.REOPENED)
"""What a person may ask for: the rest is the server's own."""

NEXT = MappingProxyType(
    {
        S.NEW: frozenset({S.CONFIRMED, S.ACKNOWLEDGED, S.PARTLY_FIXED, *OVER}),
        S.CONFIRMED: frozenset({S.ACKNOWLEDGED, S.PARTLY_FIXED, *OVER}),
        S.ACKNOWLEDGED: frozenset({S.PARTLY_FIXED, *OVER}),
        S.PARTLY_FIXED: frozenset({S.ACKNOWLEDGED, S.PARTLY_FIXED, S.REOPENED, *OVER}),
        S.REOPENED: frozenset({S.ACKNOWLEDGED, S.PARTLY_FIXED, *OVER}),
        S.EXPECTED: frozenset({S.NEW, S.REOPENED, S.FIXED, S.FALSE_ALARM}),
        S.FIXED: frozenset({S.PARTLY_FIXED, S.REOPENED, S.FALSE_ALARM, S.EXPECTED}),
        S.FALSE_ALARM: frozenset({S.REOPENED}),
        S.DISMISSED: frozenset({S.NEW, S.REOPENED, S.FALSE_ALARM}),
    }
)


def may_become(before: AlertState) -> list[AlertState]:
    """The states that a person may set next."""
    return [state for state in BY_PEOPLE if state in NEXT[before]]


def require_allowed(alert_id: int, before: AlertState, after: AlertState) -> None:
    """Raises ConflictError for a change that makes no sense."""
    if after not in NEXT[before]:
        allowed = ", ".join(sorted(NEXT[before]))
        raise ConflictError(
            f"Alert {alert_id} is {before} and cannot become {after}; from {before} it can become {allowed}."
        )
