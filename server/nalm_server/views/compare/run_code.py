# SPDX-License-Identifier: Apache-2.0
"""One run with its rounds, functions, source lines and their text."""

from __future__ import annotations

from nalm_core.profiles.function_costs import Key
from nalm_core.profiles.source_view import FunctionSource, function_source
from nalm_core.report.run_report import Arm
from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.answer_cache import cache_of
from nalm_server.notify.forges.source_link import source_link
from nalm_server.notify.integrations import repository as integrations
from nalm_server.results import service as runs
from nalm_server.results.extracts import service as extracts
from nalm_server.views.compare.report_sides import both_sides
from nalm_server.views.compare.schemas import RunCode


def code_of_run(session: Session, caller: Principal, run_id: str) -> bytes:
    """RunCode as JSON. Raises NotFoundError for a run that the caller may not read, ReportExpiredError
    without a report."""
    judged = runs.require(session, caller, run_id)
    runs.report_of(session, judged)  # raises
    project = project_rows.get(session, judged.run.project_id)
    link = source_link(project.repository, integrations.enabled(session, project.id))

    def make() -> bytes:
        extract = extracts.of_run(session, judged)
        commits = {arm: info.build.commit for arm, info in extract.remains.arms.items()}
        code = RunCode(
            base_sha=commits.get(Arm.BASE),
            head_sha=commits.get(Arm.HEAD),
            rounds=extract.rounds,
            functions=extract.code.functions,
            source_link=link,
        )
        return to_json(code)

    return cache_of(session).get(("run code", judged.run.id, judged.run.digest, link), make)


def source_of_run(session: Session, caller: Principal, run_id: str, key: Key) -> FunctionSource:
    """One function's text, without files if it has no lines. Raises as `code_of_run`."""
    judged = runs.require(session, caller, run_id)
    return function_source(*both_sides(session, judged), key)
