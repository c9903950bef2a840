# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that changed a figure, on this host alone: measurements answer what
nalm_core.findings.bisection asks.

Every candidate is compared with good, side by side. What was found is kept in the store after each one, so an
interrupted search goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import exp

from nalm_core.findings.bisection import Finding, Measure, Step, next_budget, next_step

from nalm_agent.desk.bisect_decision import Answer, Question, answer
from nalm_agent.desk.check import answered
from nalm_agent.measure.request import Request
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address

BISECTS = "bisects"
IPP_SECONDS = 1.0
"""For the rounds of a candidate whose instructions alone are asked for."""


@dataclass(frozen=True)
class CommitResult:
    """What is known of a candidate, and what it cost."""

    finding: Finding
    why: str
    change: float | None
    """ln of its figure against good's; None where it was not measured."""
    measurements: int
    seconds: float


class Search:
    """One search. commits: good first, then all up to bad along the first parent."""

    def __init__(
        self, repository: Repository, home: Home, commits: list[Revision], question: Question
    ) -> None:
        self.repository, self.home = repository, home
        self.commits, self.question = commits, question
        ends = [commits[0].commit, commits[-1].commit]
        self._key = address(str(repository.root), ends, asdict(question))
        self.results: dict[int, CommitResult] = {}

    def recall(self) -> None:
        """Takes up what an earlier search of the same question found here."""
        known = self.home.store().document(BISECTS, self._key) or {}
        for place, one in known.items():
            self.results[int(place)] = CommitResult(**one | {"finding": Finding(one["finding"])})

    def run(self, work: WorkDir, progress: Progress) -> Step:
        """Measures until there is an answer. Raises HostError, SourceError, UsageError."""
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
        """Measures a candidate, longer and longer while it cannot be told."""
        of_ipp = self.question.metric == "ipp"
        budget = IPP_SECONDS if of_ipp else None
        spent, measurements = 0.0, 0
        while True:
            judged, seconds = self._measure(commit, budget, work, progress)
            spent, measurements = spent + seconds, measurements + 1
            if judged.finding is not None:
                return CommitResult(judged.finding, judged.why, judged.change, measurements, spent)
            budget = next_budget(budget)
            if budget is None:
                why = f"still {judged.why} after {measurements} measurements"
                return CommitResult(Finding.SKIP, why, judged.change, measurements, spent)

    def _measure(
        self, commit: Revision, budget: float | None, work: WorkDir, progress: Progress
    ) -> tuple[Answer, float]:
        scenario = self.question.scenario
        request = Request(self.repository, self.commits[0], commit, scenario, budget_seconds=budget)
        try:
            result = answered(request, self.home, work, progress, recall=True)
        except ConfigError as error:
            return Answer(Finding.SKIP, error.message), 0.0
        bad = self.results.get(len(self.commits) - 1)
        judged = answer(result.report, result.verdict, self.question, bad.change if bad else None)
        seconds = (result.report.finished_at - result.report.started_at).total_seconds()
        return judged, seconds

    def _keep(self) -> None:
        """What could not be told is asked again another time."""
        known = {place: asdict(one) for place, one in self.results.items() if one.finding is not Finding.SKIP}
        self.home.store().put_document(BISECTS, self._key, known)

    def cost(self) -> CommitResult:
        """Of all that was asked, added up."""
        total = CommitResult(Finding.GOOD, "", None, 0, 0.0)
        for one in self.results.values():
            total = replace(
                total,
                measurements=total.measurements + one.measurements,
                seconds=total.seconds + one.seconds,
            )
        return total

    def size(self, place: int) -> float | None:
        """By how much a commit changed the figure against the one before; None if that was not measured."""
        changes: Mapping[int, float | None] = {0: 0.0} | {at: one.change for at, one in self.results.items()}
        after, before = changes.get(place), changes.get(place - 1)
        return None if after is None or before is None else exp(after - before) - 1
