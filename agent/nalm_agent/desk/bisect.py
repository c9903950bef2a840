# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that changed a figure, on this host alone. nalm_core.findings.bisection chooses the
candidates; measurements decide whether they are good or bad.

Every candidate is measured side by side with good. The store keeps the result of each candidate, so an
interrupted search continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import exp

from nalm_core.findings.bisection import Finding, Measure, Step, next_budget, next_step

from nalm_agent.build.host_limits import within_host
from nalm_agent.desk.bisect_decision import Question, answer
from nalm_agent.desk.check import answered
from nalm_agent.desk.result_cache import given_identity, host_identity
from nalm_agent.measure.request import Request
from nalm_agent.report.progress import Progress
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address

BISECTS = "bisects"
IPP_SECONDS = 1.0
"""Time for the rounds of a candidate if only its instructions matter."""


@dataclass(frozen=True)
class CommitResult:
    """What a search knows about a candidate, and the time it took."""

    finding: Finding
    why: str
    change: float | None
    """ln(candidate / good) of the figure; None if it was not measured."""
    measurements: int
    seconds: float


class Search:
    """One search. `commits`: good first, then all commits up to bad along the first parents."""

    def __init__(
        self, repository: Repository, home: Home, commits: list[Revision], question: Question
    ) -> None:
        self.repository, self.home = repository, home
        self.commits, self.question = commits, question
        ends = [commits[0].commit, commits[-1].commit]
        kept_for = [*host_identity(), *given_identity(repository)]
        self._key = address(str(repository.root), ends, asdict(question), *kept_for)
        self.results: dict[int, CommitResult] = {}

    def recall(self) -> None:
        """Loads the results of an earlier search for the same question on this host."""
        known = self.home.store().document(BISECTS, self._key) or {}
        for place, one in known.items():
            self.results[int(place)] = CommitResult(**one | {"finding": Finding(one["finding"])})

    def run(self, work: WorkDir, progress: Progress) -> Step:
        """Measures until the search ends. Raises HostError, SourceError, UsageError."""
        last = len(self.commits) - 1
        while True:
            step = next_step(last, {place: one.finding for place, one in self.results.items()})
            if not isinstance(step, Measure):
                return step
            commit = self.commits[step.place]
            progress.say(f"{step.place} of {last}: {commit.short} {commit.subject}")
            self.results[step.place] = found = self._ask(commit, work, progress)
            self._keep()
            progress.say(f"  {found.why}: {found.finding}")

    def _ask(self, commit: Revision, work: WorkDir, progress: Progress) -> CommitResult:
        """Measures a candidate, longer each time, until it is good or bad or the attempts are used up."""
        bad = self.results.get(len(self.commits) - 1)
        budget = IPP_SECONDS if self.question.metric == "ipp" else None
        spent, measurements = 0.0, 0
        while True:
            measurements += 1
            try:
                result = self._measure(commit, budget, work, progress)
            except ConfigError as error:
                return CommitResult(Finding.SKIP, error.message, None, measurements, spent)
            report = result.report
            spent += (report.finished_at - report.started_at).total_seconds()
            judged = answer(report, result.verdict, self.question, bad.change if bad else None)
            if judged.finding is not None:
                return CommitResult(judged.finding, judged.why, judged.change, measurements, spent)
            budget = within_host(next_budget(report.settings.budget_seconds, measurements))
            if budget is None:
                why = f"still {judged.why} after {measurements} measurements"
                return CommitResult(Finding.SKIP, why, judged.change, measurements, spent)

    def _measure(self, commit: Revision, budget: float | None, work: WorkDir, progress: Progress) -> Result:
        scenario = self.question.scenario
        request = Request(self.repository, self.commits[0], commit, scenario, budget_seconds=budget)
        return answered(request, self.home, work, progress, recall=True)

    def _keep(self) -> None:
        """Stores the results, without undecided candidates: the next search measures them again."""
        known = {place: asdict(one) for place, one in self.results.items() if one.finding is not Finding.SKIP}
        self.home.store().put_document(BISECTS, self._key, known)

    def cost(self) -> CommitResult:
        """Sum over all measured candidates."""
        total = CommitResult(Finding.GOOD, "", None, 0, 0.0)
        for one in self.results.values():
            total = replace(
                total,
                measurements=total.measurements + one.measurements,
                seconds=total.seconds + one.seconds,
            )
        return total

    def size(self, place: int) -> float | None:
        """Relative change of the figure from the commit before; None if that commit was not measured."""
        changes: Mapping[int, float | None] = {0: 0.0} | {at: one.change for at, one in self.results.items()}
        after, before = changes.get(place), changes.get(place - 1)
        return None if after is None or before is None else exp(after - before) - 1
