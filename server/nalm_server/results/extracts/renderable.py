# SPDX-License-Identifier: Apache-2.0
"""Judged runs for core to render. Only the few that the text explains have their rounds: a commit may have a
hundred scenarios, and a parsed report takes tens of megabytes, most of it rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nalm_core.render.markdown import explained_runs
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.base.errors import NalmError
from nalm_server.results import service
from nalm_server.results.extracts import service as extracts
from nalm_server.results.repository import JudgedRun

OnError = Callable[[JudgedRun, NalmError], None]
"""May raise the error; otherwise the run is left out."""


def renderable(
    session: Session, found: Sequence[JudgedRun], link_of: Callable[[str], str], on_error: OnError
) -> list[Judged]:
    """In the same order. on_error: for a run whose report is expired or unreadable."""
    reports: dict[int, RunReport] = {}
    left = list(found)
    while True:
        verdicts = [Verdict.model_validate(one.verdict.document) for one in left]
        explains = explained_runs(verdicts)
        lost = []
        for place, one in enumerate(left):
            whole = place in explains
            known = reports.get(one.run.id)
            if known is not None and (known.rounds or not whole):
                continue
            try:
                reports[one.run.id] = _report(session, one, whole=whole)
            except NalmError as error:
                on_error(one, error)
                lost.append(one)
        if not lost:
            break
        left = [one for one in left if one not in lost]
    return [
        Judged(reports[one.run.id], verdict, link_of(one.run.run_id))
        for one, verdict in zip(left, verdicts, strict=True)
    ]


def _report(session: Session, one: JudgedRun, *, whole: bool) -> RunReport:
    """Raises ReportExpiredError, ReportUnreadableError."""
    stored = service.report_of(session, one)
    light = None if whole else extracts.stored_without_rounds(session, one)
    if light is not None:
        return light
    report = parse_report(stored.json)
    return report if whole else report.model_copy(update={"rounds": []})
