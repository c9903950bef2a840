# SPDX-License-Identifier: Apache-2.0
"""Distributions, losses and searches of a run under load, from its stored report."""

from __future__ import annotations

from nalm_core.rates.run_view import rates_of
from nalm_core.report.serialization import parse_report
from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.answer_cache import cache_of
from nalm_server.base.errors import ConflictError
from nalm_server.results import service


def rates_of_run(session: Session, caller: Principal, run_id: str) -> bytes:
    """RunRates as JSON. Raises ConflictError for a run without trials, ReportExpiredError if its report has
    aged out."""
    judged = service.require(session, caller, run_id)
    stored = service.report_of(session, judged)

    def make() -> bytes:
        found = rates_of(parse_report(stored.json))
        if found is None:
            raise ConflictError(f"Run {run_id} has no trials under load.")
        return to_json(found)

    return cache_of(session).get(("run rates", judged.run.id, judged.run.digest), make)
