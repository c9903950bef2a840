# SPDX-License-Identifier: Apache-2.0
"""The code of two sides: cost per packet of each function and source line, its place and its text."""

from __future__ import annotations

from dataclasses import replace

from nalm_core.profiles.function_costs import Key, SideOf
from nalm_core.profiles.source_view import FunctionSource, function_source
from nalm_core.report.host_match import comparable, differences
from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.answer_cache import cache_of
from nalm_server.notify.forges.source_link import source_link
from nalm_server.notify.integrations import repository as integrations
from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.code import code_of
from nalm_server.results.extracts.schemas import CodeExtract
from nalm_server.results.service import report_of
from nalm_server.views.compare.compared_runs import Apart, PairRequest, Together, found, key_of
from nalm_server.views.compare.report_sides import both_sides, one_side
from nalm_server.views.compare.schemas import CodeComparison


def compare_code(session: Session, project: ProjectRow, request: PairRequest) -> bytes:
    """CodeComparison as JSON. Raises NotFoundError for sides without a measurement, ReportExpiredError
    without a report."""
    pair = found(session, project, request)
    link = source_link(project.repository, integrations.enabled(session, project.id))

    def make() -> bytes:
        code = CodeComparison(
            base_sha=pair.old.sha,
            head_sha=pair.new.sha,
            **dict(_extract(session, pair)),
            source_link=link,
        )
        return to_json(code)

    return cache_of(session).get(("compare code", *key_of(session, pair), link), make)


def compare_source(session: Session, project: ProjectRow, request: PairRequest, key: Key) -> FunctionSource:
    """One function's text, without files if it has no lines. Raises as `compare_code`."""
    base, head = _sides(session, found(session, project, request))
    return function_source(base, head, key)


def _extract(session: Session, pair: Together | Apart) -> CodeExtract:
    if isinstance(pair, Apart):
        return code_of(*_apart(session, pair))
    report_of(session, pair.judged)  # raises
    return extracts.of_run(session, pair.judged).code


def _sides(session: Session, pair: Together | Apart) -> tuple[SideOf, SideOf]:
    return both_sides(session, pair.judged) if isinstance(pair, Together) else _apart(session, pair)


def _apart(session: Session, pair: Apart) -> tuple[SideOf, SideOf]:
    """Omits samples of hosts that cannot be compared, but compares instructions."""
    before, after = (one_side(session, one.judged, one.arm) for one in (pair.before, pair.after))
    if comparable(differences(before.report.host, after.report.host)):
        return before, after
    return replace(before, cpp=None), replace(after, cpp=None)
