# SPDX-License-Identifier: Apache-2.0
"""Adds an alert's state to the commit's status of a regression. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from nalm_server.alerts.confirmation_schemas import ACTIVE
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import AlertState
from nalm_server.notify.forges.protocol import ForgeState


class Known(NamedTuple):
    """One series of a scenario that moved at the commit, with its alert."""

    scenario: str
    fate: str
    state: str | None
    """State of the alert; None: there is none."""
    plan: str | None
    """State of its confirmation; None: not requested."""


class Standing(NamedTuple):
    state: ForgeState
    said: str
    """Text before the verdict's line."""


AGAIN: Final = Standing(ForgeState.PENDING, "being measured again: ")
OPEN: Final = Standing(ForgeState.NEUTRAL, "not confirmed when measured again: ")
MUTED: Final = Standing(ForgeState.NEUTRAL, "muted: ")
NOISE: Final = Standing(ForgeState.SUCCESS, "no larger than known noise: ")
EXPECTED: Final = Standing(ForgeState.SUCCESS, "expected: ")
ACCEPTED: Final = Standing(ForgeState.SUCCESS, "accepted: ")
STANDS: Final = Standing(ForgeState.FAILURE, "")
BY_STATE: Final = {
    AlertState.PARTLY_FIXED: Standing(ForgeState.FAILURE, "partly fixed by a later commit: "),
    AlertState.FIXED: Standing(ForgeState.FAILURE, "fixed by a later commit: "),
    AlertState.EXPECTED: EXPECTED,
    AlertState.DISMISSED: Standing(ForgeState.SUCCESS, "not seen again when measured a second time: "),
    AlertState.FALSE_ALARM: Standing(ForgeState.SUCCESS, "false alarm: "),
}


def standings(known: Sequence[Known]) -> dict[str, Standing]:
    """By scenario; a scenario without an entry shows its verdict alone."""
    by_scenario: dict[str, list[Known]] = {}
    for one in known:
        by_scenario.setdefault(one.scenario, []).append(one)
    return {scenario: _standing(of_one) for scenario, of_one in by_scenario.items()}


def _standing(known: Sequence[Known]) -> Standing:
    heard = next((one for one in known if one.fate == Fate.ALERT), None)
    if heard is not None and heard.state is not None:
        return _of_alert(AlertState(heard.state), heard.plan)
    if any(one.state in BY_STATE for one in known):
        return next(BY_STATE[AlertState(one.state)] for one in known if one.state in BY_STATE)
    fates = {one.fate for one in known}
    if Fate.MUTED in fates:
        return MUTED
    return EXPECTED if Fate.EXPECTED in fates else NOISE


def _of_alert(state: AlertState, plan: str | None) -> Standing:
    if state is AlertState.NEW:
        return AGAIN if plan is None or plan in ACTIVE else OPEN
    return BY_STATE.get(state, STANDS)
