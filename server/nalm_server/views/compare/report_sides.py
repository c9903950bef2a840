# SPDX-License-Identifier: Apache-2.0
"""The arms of a stored report with its counts, samples and source text, read without its rounds."""

from __future__ import annotations

from nalm_core.profiles.function_costs import SideOf
from nalm_core.report.run_report import Arm
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.code import judged_sides
from nalm_server.results.extracts.schemas import WithoutRounds
from nalm_server.results.repository import JudgedRun
from nalm_server.results.service import report_of


def both_sides(session: Session, judged: JudgedRun) -> tuple[SideOf, SideOf]:
    """Base, and the arm that is judged against it. Raises ReportExpiredError."""
    kept = _read(session, judged)
    verdict = Verdict.model_validate(judged.verdict.document)
    return judged_sides(kept.report, verdict, kept.cpp.get)


def one_side(session: Session, judged: JudgedRun, arm: Arm) -> SideOf:
    """Raises ReportExpiredError."""
    kept = _read(session, judged)
    return SideOf(kept.report, arm, kept.cpp.get(arm))


def _read(session: Session, judged: JudgedRun) -> WithoutRounds:
    report_of(session, judged)  # raises
    return extracts.without_rounds_of(session, judged)
