# SPDX-License-Identifier: Apache-2.0
"""Findings beside the chain's cycles: own metrics, and stages and instructions with a threshold.

A second measurement that the service requests, and its fixes, are judged by the chain's cycles, so they say
nothing about these. alerts.figures judges one of them alone, and figures of rates and soaks, by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from nalm_core.report.trials.kinds import RunKind, split_name

from nalm_server.alerts.models import AlertMoveRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.suspicion import CHAIN

SEEN_ONCE = "a second measurement judges the chain's cycles, and this is judged beside them"


def beside_cycles(moves: Iterable[AlertMoveRow]) -> list[AlertMoveRow]:
    """The moves that a pair, or the history of an own metric, shows and the chain's cycles do not, unless
    they are muted or expected."""
    shown = [
        one
        for one in moves
        if (one.source == "pair" or one.metric != "cpp")
        and one.kind == "regression"
        and split_name(one.scenario)[1] is RunKind.CYCLES
    ]
    slower = {(one.scenario, one.host_class) for one in shown if (one.metric, one.stage) == ("cpp", CHAIN)}
    return [
        one
        for one in shown
        if one.fate == Fate.ALERT and (one.metric != "cpp" or (one.scenario, one.host_class) not in slower)
    ]
