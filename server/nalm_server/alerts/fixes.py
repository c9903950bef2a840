# SPDX-License-Identifier: Apache-2.0
"""What measured improvements took back of a finding (results.fixes matches them).

An alert is fixed once no more than the margin remains in any of its scenarios, and partly fixed while more
remains in a scenario for which a fix was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from nalm_core.findings.recovery import Recovery, recovery_text
from nalm_core.text.amounts import amount
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.alerts import evidence, lifecycle, matching, repository
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.own_metrics import beside_cycles
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import ACTIVE, AlertState
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow

MOST_NAMED = 3
"""Number of scenarios named in a sentence; the page lists all."""


def look(session: Session, run: RunRow, verdict: VerdictRow, now: datetime) -> None:
    """Updates alerts after a verdict: an improvement, a regression undone before it was measured, another
    scenario of a fix, or the last good commit against the fix."""
    fixed = verdict.fixes_sha
    culprit = (
        commits.get(session, run.commit_id) if fixed is None else commits.find(session, run.project_id, fixed)
    )
    found = repository.of_commit(session, culprit.id) if culprit is not None else None
    alerts = [matching.surviving(session, found)] if found is not None else []
    alerts += [one for one in repository.undone_by(session, run.commit_id) if one not in alerts]
    for alert in alerts:
        if alert.state in ACTIVE or (alert.state == AlertState.FIXED and alert.fix_measured_at is not None):
            weigh(session, alert, now)


def weigh(session: Session, alert: AlertRow, now: datetime) -> None:
    """Updates the alert by what commits of the default branch took back."""
    scenarios = _scenarios(session, alert)
    seen = {name: one for name, one in repository.recovered(session, alert).items() if name in scenarios}
    last = _last(session, alert.project_id, seen.values())
    if last is None:
        return
    found = {name: _direct(session, alert, one, last) or one for name, one in seen.items()}
    unfixed = scenarios - set(found)
    recovery = [found[name] for name in sorted(found)]
    beside = beside_cycles(repository.moves(session, alert.id))
    if not unfixed and not beside and all(one.complete for one in recovery):
        if alert.state in ACTIVE:
            lifecycle.fix(session, alert, last.id, _undone(recovery), now, recovery=recovery, measured=True)
    elif unfixed <= repository.measured_at(session, last.id):
        lifecycle.partly_fix(session, alert, last.id, _partly(recovery, unfixed), now, recovery=recovery)


def _scenarios(session: Session, alert: AlertRow) -> set[str]:
    return {
        one.scenario
        for one in repository.moves(session, alert.id)
        if one.fate == Fate.ALERT and one.kind == "regression"
    }


def _last(session: Session, project_id: int, found: Iterable[Recovery]) -> CommitRow | None:
    """The latest of the commits that took something back."""
    shas = {one.fixes[-1] for one in found}
    rows = [row for sha in sorted(shas) if (row := commits.find(session, project_id, sha)) is not None]
    return max(rows, key=lambda row: row.position, default=None)


def _direct(session: Session, alert: AlertRow, one: Recovery, last: CommitRow) -> Recovery | None:
    """The recovery by a run of the last good commit against the last fix, if there is one."""
    good, _ = evidence.ends(session, alert)
    measured = repository.pair(session, alert.project_id, one.scenario, good, last.sha) if good else None
    if measured is None:
        return None
    run, verdict = measured
    ratio = evidence.ratio_of(verdict, one.metric)
    if ratio is None:
        return None
    return one.model_copy(
        update={
            **{"remains": ratio.ratio, "low": ratio.low, "high": ratio.high, "level": ratio.level},
            **{"direct": True, "run_id": run.run_id},
        }
    )


def _undone(found: Sequence[Recovery]) -> str:
    return f"{_by(found)} in every scenario: {_each(found)}"


def _partly(found: Sequence[Recovery], unfixed: set[str]) -> str:
    rest = f"; nothing in {', '.join(sorted(unfixed))}" if unfixed else ""
    return f"{_by(found)} in part: {_each(found)}{rest}"


def _by(found: Sequence[Recovery]) -> str:
    shas = list(dict.fromkeys(sha for one in found for sha in one.fixes))
    verb = "undoes it" if len(shas) == 1 else "undo it"
    return f"{', '.join(short(sha) for sha in shas)} {verb}"


def _each(found: Sequence[Recovery]) -> str:
    """The scenario in which most remains comes first."""
    most = sorted(found, key=lambda one: -one.remains)
    if len(most) == 1:
        return recovery_text(most[0])
    said = "; ".join(f"{one.scenario}: {recovery_text(one)}" for one in most[:MOST_NAMED])
    return said + (
        f"; and {amount(len(most) - MOST_NAMED, 'scenario')} more" if len(most) > MOST_NAMED else ""
    )
