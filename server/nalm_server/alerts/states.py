# SPDX-License-Identifier: Apache-2.0
"""States of an alert and the allowed changes between them: every change goes through this table."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from nalm_server.base.errors import ConflictError


class AlertState(StrEnum):
    """new -> confirmed -> acknowledged -> partly_fixed -> fixed, or another way in which a finding ends."""

    NEW = "new"
    """Suspected; measured again before a notification is sent."""
    CONFIRMED = "confirmed"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"
    PARTLY_FIXED = "partly_fixed"
    """Undone in part: more than the margin remains in a scenario, so it stays open."""
    FIXED = "fixed"
    FALSE_ALARM = "false_alarm"
    """Set by a person."""
    REOPENED = "reopened"
    DISMISSED = "dismissed"
    """The second measurement does not show it, it was merged into another alert, or a forced push dropped its
    commit."""


S = AlertState
ACTIVE = (S.NEW, S.CONFIRMED, S.ACKNOWLEDGED, S.PARTLY_FIXED, S.REOPENED)
"""Something is left to do, for people or for the service."""
OPEN = (S.CONFIRMED, S.ACKNOWLEDGED, S.PARTLY_FIXED, S.REOPENED)
"""Alerts that were sent or taken up and that need a person."""
OVER = (S.EXPECTED, S.FIXED, S.FALSE_ALARM, S.DISMISSED)
REPORTED = (S.CONFIRMED, S.PARTLY_FIXED, S.FIXED, S.REOPENED)
BY_PEOPLE = (S.ACKNOWLEDGED, S.EXPECTED, S.FIXED, S.FALSE_ALARM, S.REOPENED)
"""States that a person may set; the service sets the others."""

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
    """Raises ConflictError for a change that is not allowed."""
    if after not in NEXT[before]:
        allowed = ", ".join(sorted(NEXT[before]))
        raise ConflictError(
            f"Alert {alert_id} is {before} and cannot become {after}; from {before} it can become {allowed}."
        )
