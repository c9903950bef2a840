# SPDX-License-Identifier: Apache-2.0
"""Selects the runs for a comparison: one with both sides, or each side's own."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import product

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotMeasuredError
from nalm_server.git.commits import service as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.results import repository
from nalm_server.results.repository import JudgedRun
from nalm_server.results.service import report_of
from nalm_server.views.compare.sides import Side, SideFilter, sides_of, usable


@dataclass(frozen=True)
class PairRequest:
    """A request: two revisions, and conditions on the runs of each."""

    base: str
    head: str
    of_base: SideFilter = field(default_factory=SideFilter)
    of_head: SideFilter = field(default_factory=SideFilter)

    @property
    def across(self) -> bool:
        """Between scenarios or hosts: never measured side by side."""
        return self.of_base != self.of_head


@dataclass(frozen=True)
class Together:
    """Both sides ran interleaved in one run."""

    old: CommitRow
    new: CommitRow
    judged: JudgedRun


@dataclass(frozen=True)
class Apart:
    """Each side has a run of its own, or both have one whose base is the comparison's head."""

    old: CommitRow
    new: CommitRow
    before: Side
    after: Side


def found(session: Session, project: ProjectRow, request: PairRequest) -> Together | Apart:
    """Raises NotMeasuredError if one of the sides has no run."""
    old, new = (commits.resolve(session, project.id, one) for one in (request.base, request.head))
    heads = sides_of(session, new, request.of_head.scenario)
    of_new = [side for side in heads if request.of_head.takes(side)]
    if not request.across:
        for side in of_new:
            if side.arm is Arm.HEAD and side.judged.run.base_sha == old.sha:
                return Together(old, new, side.judged)
    bases = sides_of(session, old, request.of_base.scenario)
    of_old = [side for side in bases if request.of_base.takes(side)]
    return _apart(request, (old, new), of_old, of_new)


def _apart(
    request: PairRequest, pair: tuple[CommitRow, CommitRow], of_old: list[Side], of_new: list[Side]
) -> Apart:
    """Of one scenario unless two are named; if possible from one run, else from runs of one host class."""
    named = request.of_base.scenario is not None and request.of_head.scenario is not None
    pairs = (
        (before, after)
        for before, after in product(filter(usable, of_old), filter(usable, of_new))
        if (named or before.judged.scenario == after.judged.scenario) and before != after
    )
    best = min(
        pairs,
        key=lambda sides: (
            sides[0].judged.run.id != sides[1].judged.run.id,
            sides[0].judged.run.host_class != sides[1].judged.run.host_class,
        ),
        default=None,
    )
    if best is None:
        raise NotMeasuredError(_missing(request, *pair))
    return Apart(*pair, *best)


def _missing(request: PairRequest, old: CommitRow, new: CommitRow) -> str:
    base, head = short(old.sha), short(new.sha)
    if request.across:
        return (
            f"Not both were measured: {_said(base, request.of_base)}, and {_said(head, request.of_head)}. "
            "Wait for the jobs, or choose measured commits: compare/measured lists them for each side."
        )
    scenario, host = request.of_head.scenario, request.of_head.host
    where = (f"scenario {scenario!r}" if scenario else "any scenario") + (f" on {host}" if host else "")
    return (
        f"{base} and {head} have not both been measured in {where}: wait for the jobs, or "
        f"run `nalm check --base {base} --head {head}`."
    )


def _said(commit: str, side_filter: SideFilter) -> str:
    scenario = f" in {side_filter.scenario}" if side_filter.scenario else ""
    return commit + scenario + (f" on {side_filter.host}" if side_filter.host else "")


def read_report(session: Session, judged: JudgedRun) -> RunReport:
    """Raises ReportExpiredError: separate runs can only be compared by their rounds."""
    return parse_report(report_of(session, judged).json)


def key_of(session: Session, pair: Together | Apart) -> tuple[Hashable, ...]:
    """Everything on which a comparison of the pair depends: runs, with their reports, and commits as people
    see them."""
    sides = [Side(pair.judged, Arm.HEAD)] if isinstance(pair, Together) else [pair.before, pair.after]
    commit_texts = [(one.sha, one.subject, one.author, one.committed_at) for one in (pair.old, pair.new)]
    runs = [
        (
            side.judged.run.id,
            side.judged.run.digest,
            side.arm,
            side.judged.host,
            side.judged.verdict.display,
            repository.report_expired_at(session, side.judged.run.id),
            # What is linked to the pair changes with each run of the scenario.
            repository.newest_of_scenario(session, side.judged.run.scenario_id),
        )
        for side in sides
    ]
    return (type(pair).__name__, *commit_texts, *runs)
