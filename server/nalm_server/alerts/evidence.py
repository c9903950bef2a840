# SPDX-License-Identifier: Apache-2.0
"""Evidence of a finding: the commits around it, the ratio of a run."""

from __future__ import annotations

from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.fixes import under_load, worse_ratio
from nalm_core.text.commit_name import short
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow
from nalm_server.git.commits import repository as commit_rows
from nalm_server.results.models import VerdictRow


def ratio_of(verdict: VerdictRow, metric: str | None = None) -> Ratio | None:
    """The chain's ratio with its interval, if the run has one. metric: of a run under load, that figure's
    instead, above 1 if it became worse."""
    found = Verdict.model_validate(verdict.document)
    if metric is not None:
        figure = next((one for one in under_load(found) if one.metric == metric), None)
        ratio = None if figure is None else worse_ratio(figure)
        return ratio if isinstance(ratio, Ratio) else None
    size = found.size
    if size is None or size.low is None or size.high is None or size.level is None:
        return None
    return Ratio(size.ratio, size.low, size.high, size.level)


def ends(session: Session, alert: AlertRow) -> tuple[str | None, str]:
    """The last good commit, None if nothing is known before the culprit; and the culprit."""
    culprit = commit_rows.get(session, alert.commit_id)
    if alert.after_commit_id is not None:
        return commit_rows.get(session, alert.after_commit_id).sha, culprit.sha
    return culprit.parent_sha, culprit.sha


def drift_text(session: Session, alert: AlertRow) -> str | None:
    """`drift from 1234567 to 89abcde`; None: one commit is the culprit."""
    if alert.drift_end_id is None:
        return None
    first, last = ends(session, alert)[0], commit_rows.get(session, alert.drift_end_id).sha
    return f"drift up to {short(last)}" if first is None else f"drift from {short(first)} to {short(last)}"
