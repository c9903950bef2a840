# SPDX-License-Identifier: Apache-2.0
"""The figures by which an alert is measured again and bisected."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings.figure import Figure, FigureOutcome, judged_by
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.verdict.verdict import Verdict

from nalm_server.alerts import headline
from nalm_server.alerts.models import AlertMoveRow
from nalm_server.alerts.own_metrics import beside_cycles
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.results.models import VerdictRow


def figures_of(moves: Sequence[AlertMoveRow], scenario: str) -> list[Figure]:
    """The figures of the scenario that moved, the largest change first. None: the run's outcome decides, as
    of cycles, and of a head that does not run."""
    own = [one for one in moves if one.scenario == scenario]
    heard = [one for one in own if one.fate == Fate.ALERT] or own
    if any(one.kind == "broken" for one in heard):
        return []
    heard.sort(key=lambda one: (one.source == "pair", headline.size(one)), reverse=True)
    if split_name(scenario)[1] is not RunKind.CYCLES:
        return [Figure(metric=name) for name in dict.fromkeys(one.metric for one in heard)]
    if len(beside_cycles(heard)) < len(heard):
        return []
    names = dict.fromkeys((one.metric, one.stage) for one in heard)
    return [Figure(metric=name, stage=None if stage == CHAIN else stage) for name, stage in names]


def judged(verdict: VerdictRow, figures: Sequence[Figure]) -> FigureOutcome:
    """As nalm_core.findings.figure.judged_by, of a stored verdict."""
    return judged_by(Verdict.model_validate(verdict.document), figures)
