# SPDX-License-Identifier: Apache-2.0
"""Stored verdicts as the API shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from nalm_core.verdict.verdict import Verdict as CoreVerdict
from nalm_core.verdict.wording import interval_note, stage_notes
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results import repository
from nalm_server.results.models import VerdictRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.schemas import RunBrief, Verdict, VerdictBrief


def brief(judged: JudgedRun) -> VerdictBrief:
    fields = {
        name: getattr(judged.verdict, name)
        for name in VerdictBrief.model_fields
        if name not in ("run_id", "scenario")
    }
    return VerdictBrief(run_id=judged.run.run_id, scenario=judged.scenario, **fields)


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
    session: Session, commits: Sequence[CommitRow], scenario: str | None
) -> dict[int, list[VerdictBrief]]:
    """By commit, the newest verdict of each scenario, by the scenario's name, without confirmations on other
    hosts.

    Prefers the comparison with the parent, if there is one, to a bisect's comparison with an earlier commit.
    """
    parents = {commit.id: commit.parent_sha for commit in commits}
    newest: dict[int, dict[str, VerdictBrief]] = defaultdict(dict)
    found = repository.of_commits(session, list(parents), scenario)
    for judged in sorted(found, key=lambda one: one.run.base_sha != parents[one.run.commit_id]):
        if not judged.run.beside and judged.scenario not in newest[judged.run.commit_id]:
            newest[judged.run.commit_id][judged.scenario] = brief(judged)
    return {commit_id: [of[name] for name in sorted(of)] for commit_id, of in newest.items()}


def of_runs(session: Session, run_numbers: Sequence[int]) -> dict[int, VerdictBrief]:
    return {
        number: VerdictBrief.model_validate(columns)
        for number, columns in repository.verdict_columns(session, run_numbers).items()
    }
