# SPDX-License-Identifier: Apache-2.0
"""What the intake of results reports to packages above, and asks of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from nalm_core.report.run_report import RunReport
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.ports import Event, Port
from nalm_server.db.context import Context
from nalm_server.db.reports.packing import Packed
from nalm_server.jobs.models import JobRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.schemas import ReportTaken

run_stored: Event[[Session, JudgedRun, datetime]] = Event()
"""A report was judged and stored."""

expected_commits: Port[Callable[[Session, int], set[int]]] = Port("results.ports.expected_commits")
"""Commits whose change of a scenario, given by its number, is said to be expected."""


class TakeCell(Protocol):
    """Takes the report of an experiment's cell."""

    def __call__(
        self,
        context: Context,
        caller: Principal,
        report: RunReport,
        canonical: bytes,
        *,
        job_id: int | None,
        fence: int | None,
    ) -> ReportTaken: ...


class TakeTrial(Protocol):
    """Takes the report of a control as a trial. False: it was one already."""

    def __call__(
        self,
        session: Session,
        job: JobRow,
        report: RunReport,
        *,
        verdict: Verdict,
        packed: Packed,
        now: datetime,
    ) -> bool: ...


take_cell: Port[TakeCell] = Port("results.ports.take_cell")
take_trial: Port[TakeTrial] = Port("results.ports.take_trial")
alarmed: Port[Callable[[Verdict], bool]] = Port("results.ports.alarmed")
"""The report of a control with this verdict is kept."""
