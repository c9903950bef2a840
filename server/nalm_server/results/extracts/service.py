# SPDX-License-Identifier: Apache-2.0
"""Extracts of reports: made at import if the report is large, else for each process.

Parsing a report of 36,000 rounds takes seconds. Its extract is stored in the database, for all processes. It
is used by the program that made it only: after an upgrade, a process makes it once more when it is needed.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from functools import cache
from pathlib import Path

import nalm_core
from nalm_core.explain import Explanation
from nalm_core.features.decompose_run import decompose_run
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

import nalm_server
from nalm_server.base.answer_cache import cache_of
from nalm_server.results import acceptance, summary
from nalm_server.results import repository as runs
from nalm_server.results.extracts import repository
from nalm_server.results.extracts.code import code_of, side_by_side
from nalm_server.results.extracts.rounds import kept
from nalm_server.results.extracts.schemas import Extract
from nalm_server.results.repository import JudgedRun

STORED_FROM = 1 << 20
"""Size of a report in bytes of JSON; smaller ones are parsed in no time to speak of."""


def of(report: RunReport, verdict: Verdict, explanation: Explanation | None) -> bytes:
    """Extract as JSON."""
    extract = Extract(
        remains=summary.of(report),
        rounds=kept(report),
        decomposition=decompose_run(report) if verdict.chain else None,
        explanation=explanation,
        code=code_of(*side_by_side(report, verdict)),
    )
    # pydantic's own JSON has null for an infinite figure, which cannot be read again
    return json.dumps(extract.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False).encode()


def store(session: Session, run_number: int, extract: bytes) -> None:
    """extract: of `of`."""
    repository.add(session, run_number, program(), zlib.compress(extract))


def of_run(session: Session, judged: JudgedRun) -> Extract:
    """Of a run whose report is stored."""
    stored = repository.find(session, judged.run.id, program())
    if stored is not None:
        return Extract.model_validate_json(zlib.decompress(stored))

    def make() -> bytes:
        report = parse_report(runs.report(session, judged.run.id).json)
        verdict = Verdict.model_validate(judged.verdict.document)
        return of(report, verdict, acceptance.explained(report, verdict))

    key = ("extract", judged.run.id, judged.run.digest)
    return Extract.model_validate_json(cache_of(session).get(key, make))


@cache
def program() -> str:
    """SHA-256 of the sources of all that makes and reads extracts: no change of them can be forgotten."""
    found = hashlib.sha256()
    for package in (nalm_core, nalm_server):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            found.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return found.hexdigest()
