# SPDX-License-Identifier: Apache-2.0
"""Stored verdicts as the API shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from nalm_core.findings.recovery import Recovery
from nalm_core.verdict.verdict import Verdict as CoreVerdict
from nalm_core.verdict.wording import interval_note, stage_notes
from sqlalchemy.orm import Session

from nalm_server.results import repository
from nalm_server.results.models import VerdictRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.schemas import RunBrief, Verdict, VerdictBrief


def full(row: VerdictRow) -> Verdict:
    core = CoreVerdict.model_validate(row.document)
    own = {name: getattr(row, name) for name in ("display", "fixes_sha", "recovery", "unchanged")}
    computed = {
        "stage_notes": stage_notes(core.stages, core.culprit_stages),
        "interval_note": interval_note(core.chain, core.stages),
    }
    return Verdict(**dict(core), **own, **computed)


def run_brief(judged: JudgedRun) -> RunBrief:
    run = judged.run
    return RunBrief(
        run_id=run.run_id,
        scenario=judged.scenario,
        host=judged.host,
        host_class=run.host_class,
        status=run.status,
        base_sha=run.base_sha,
        head_sha=run.head_sha,
        job_id=run.job_id,
        started_at=run.started_at,
        finished_at=run.finished_at,
        outcome=judged.verdict.outcome,
        display=judged.verdict.display,
    )


def newest_by_commit(
    session: Session, commit_ids: Sequence[int], scenario: str | None
) -> dict[int, list[dict[str, Any]]]:
    """By commit, the newest verdict of each scenario, by the scenario's name, without confirmations on other
    hosts: VerdictBrief as plain values, since a page has thousands.

    Prefers the comparison with the parent, if there is one, to a bisect's comparison with an earlier commit.
    """
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for commit_id, columns in repository.newest_verdicts(session, commit_ids, scenario):
        if columns["recovery"] is not None:
            columns["recovery"] = Recovery.model_validate(columns["recovery"])
        found[commit_id].append(columns)
    return {commit_id: sorted(of, key=itemgetter("scenario")) for commit_id, of in found.items()}


def of_runs(session: Session, run_numbers: Sequence[int]) -> dict[int, VerdictBrief]:
    return {
        number: VerdictBrief.model_validate(columns)
        for number, columns in repository.verdict_columns(session, run_numbers).items()
    }
