# SPDX-License-Identifier: Apache-2.0
"""Extracts of reports: made at import if the report is large, else for each process.

Parsing a report of 36,000 rounds takes seconds. Its extracts are stored in the database, for all processes.
They are used by the program that made them only: after an upgrade, a process makes one once more when it is
needed.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import nalm_core
from nalm_core.explain import Explanation
from nalm_core.features.decompose_run import decompose_run
from nalm_core.report.run_report import Check, RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.report.summary import Summaries
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

import nalm_server
from nalm_server.base.answer_cache import cache_of
from nalm_server.base.schemas import Schema
from nalm_server.results import acceptance, summary
from nalm_server.results import repository as runs
from nalm_server.results.extracts import repository
from nalm_server.results.extracts.code import code_of, side_by_side
from nalm_server.results.extracts.rounds import kept, without_rounds
from nalm_server.results.extracts.schemas import Extract, ExtractKind, WithoutRounds
from nalm_server.results.repository import JudgedRun

STORED_FROM = 1 << 20
"""Size of a report in bytes of JSON; smaller ones are parsed in no time to speak of."""


def of(
    report: RunReport,
    verdict: Verdict,
    explanation: Explanation | None,
    checks: list[Check] | None = None,
) -> bytes:
    """Extract as JSON. checks: of the report, if they are made already."""
    return _json(
        Extract(
            remains=summary.of(report, checks),
            rounds=kept(report),
            decomposition=decompose_run(report) if verdict.chain else None,
            explanation=explanation,
            code=code_of(*side_by_side(report, verdict)),
        )
    )


def no_rounds(summaries: Summaries) -> bytes:
    """WithoutRounds as JSON, of the summarised report."""
    return _json(without_rounds(summaries))


def _json(extract: Schema) -> bytes:
    # pydantic's own JSON has null for an infinite figure, which cannot be read again
    return json.dumps(extract.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False).encode()


def store(session: Session, run_number: int, extracts: Mapping[ExtractKind, bytes]) -> None:
    """extracts: of `of` and `no_rounds`."""
    for kind, content in extracts.items():
        repository.add(session, run_number, kind, program(), zlib.compress(content))


def of_run(session: Session, judged: JudgedRun) -> Extract:
    """Of a run whose report is stored."""

    def make(report: RunReport) -> bytes:
        verdict = Verdict.model_validate(judged.verdict.document)
        return of(report, verdict, acceptance.explained(report, verdict))

    return Extract.model_validate_json(_found(session, judged, ExtractKind.PAGES, make))


def without_rounds_of(session: Session, judged: JudgedRun) -> WithoutRounds:
    """Of a run whose report is stored."""

    def make(report: RunReport) -> bytes:
        return no_rounds(Summaries(report))

    return WithoutRounds.model_validate_json(_found(session, judged, ExtractKind.NO_ROUNDS, make))


def stored_without_rounds(session: Session, judged: JudgedRun) -> RunReport | None:
    """The report without its rounds, if that is stored: of a large one."""
    stored = repository.find(session, judged.run.id, ExtractKind.NO_ROUNDS, program())
    return None if stored is None else WithoutRounds.model_validate_json(zlib.decompress(stored)).report


def _found(
    session: Session, judged: JudgedRun, kind: ExtractKind, make: Callable[[RunReport], bytes]
) -> bytes:
    stored = repository.find(session, judged.run.id, kind, program())
    if stored is not None:
        return zlib.decompress(stored)
    key = ("extract", kind, judged.run.id, judged.run.digest)
    return cache_of(session).get(key, lambda: make(parse_report(runs.report(session, judged.run.id).json)))


@cache
def program() -> str:
    """SHA-256 of the sources of all that makes and reads extracts: no change of them can be forgotten."""
    found = hashlib.sha256()
    for package in (nalm_core, nalm_server):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            found.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return found.hexdigest()
