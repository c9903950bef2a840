# SPDX-License-Identifier: Apache-2.0
"""A maintainer accepts what a run of a pull request or branch found, with a reason.

It is stored as expectations of the head commit: the forges' status follows, a merge inherits them, and no
alert is made of a change within the accepted bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from nalm_core.findings.expectation import Expectation
from nalm_core.findings.severity import logarithmic, size_of
from nalm_core.report.catalogue import Better
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts import ports
from nalm_server.alerts.rules import expectations, rule_repository
from nalm_server.alerts.rules.models import ExpectationRow
from nalm_server.alerts.schemas import Acceptance, AcceptanceNew
from nalm_server.alerts.schemas import Expectation as ShownExpectation
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.results import service as runs

TRIAGE: expectations.Source = "triage"


def get(session: Session, caller: Principal, run_id: str) -> Acceptance:
    """What of the run's findings is accepted."""
    judged = runs.require(session, caller, run_id)
    verdict = Verdict.model_validate(judged.verdict.document)
    commit = commits.get(session, judged.run.commit_id)
    return _shown(session, commit, verdict)


def accept(session: Session, caller: Principal, run_id: str, new: AcceptanceNew, now: datetime) -> Acceptance:
    """Raises ConflictError for a commit of the default branch, which has an alert, or without a finding."""
    judged = runs.require(session, caller, run_id)
    require_role(session, caller, judged.run.project_id, Role.MAINTAINER)
    projects.lock(session, judged.run.project_id)
    commit = commits.get(session, judged.run.commit_id)
    verdict = Verdict.model_validate(judged.verdict.document)
    if commit.listed:
        raise ConflictError(
            f"Run {run_id} is of the default branch: accept its finding on the alert, by the state "
            "`expected`."
        )
    found = list(findings(verdict))
    if not found:
        raise ConflictError(
            f"Run {run_id} is {verdict.outcome}: there is no slower figure in it that could be accepted."
        )
    who = caller.name[:128]
    for one in found:
        bound = one.worst if new.bound is None or one.metric != "cpp" else new.bound
        expected = Expectation(judged.scenario, one.metric, bound, new.why)
        expectations.declare(session, commit, expected, TRIAGE, who, now=now)
    record(
        session,
        caller,
        "run.accept",
        f"run {run_id}",
        now,
        project_id=judged.run.project_id,
        detail=new.why,
    )
    session.flush()
    ports.accepted(session, judged.run.project_id, commit.sha, now)
    return _shown(session, commit, verdict)


@dataclass(frozen=True)
class Finding:
    """A metric that regressed."""

    metric: str
    better: Better
    ratio: float | None
    """None: from or to 0, or not known."""
    worst: float | None
    """The worse end of its interval."""


def findings(verdict: Verdict) -> Iterator[Finding]:
    """All that regressed."""
    size = verdict.size
    if verdict.outcome == "regressed" and size is not None:
        yield Finding("cpp", "lower", size.ratio, size.high or size.ratio)
    for one in verdict.failing_metrics:
        if one.stage is None and one.metric != "cpp":
            ratio, worse = logarithmic(one.ratio), one.high if one.better == "lower" else one.low
            yield Finding(one.metric, one.better, ratio, ratio and (logarithmic(worse) or ratio))


def accepted_by(verdict: Verdict, scenario: str, rows: Sequence[ExpectationRow]) -> ExpectationRow | None:
    """The acceptance that covers every finding of the verdict; None: something is not accepted."""
    covering = None
    for one in findings(verdict):
        covering = next(
            (
                row
                for row in rows
                if row.source == TRIAGE
                and row.metric == one.metric
                and fnmatchcase(scenario, row.scenario)
                and size_of(one.better, one.ratio) <= size_of(one.better, row.bound)
            ),
            None,
        )
        if covering is None:
            return None
    return covering


def _shown(session: Session, commit: CommitRow, verdict: Verdict) -> Acceptance:
    rows = [
        row
        for row in rule_repository.expectations_at(session, commit.id)
        if row.source == TRIAGE and fnmatchcase(verdict.scenario, row.scenario)
    ]
    return Acceptance(
        possible=not commit.listed and any(True for _ in findings(verdict)),
        accepted=accepted_by(verdict, verdict.scenario, rows) is not None,
        expectations=[ShownExpectation.model_validate({**_columns(row), "sha": commit.sha}) for row in rows],
    )


def _columns(row: ExpectationRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in ShownExpectation.model_fields if name != "sha"}
