# SPDX-License-Identifier: Apache-2.0
"""Measures mutants and A/A comparisons one by one, with `measure()`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nalm_core.explain import explain
from nalm_core.report.rounds import launches_done
from nalm_core.report.run_report import Arm, InstructionCount, RunReport, RunStatus
from nalm_core.report.serialization import dump_report

from nalm_agent.measure.measure import measure
from nalm_agent.measure.request import Request
from nalm_agent.mutants.causes import untouched_rows
from nalm_agent.mutants.read import Patch
from nalm_agent.mutants.record import AA_KIND, Expected, Journal, Outcome, Record, Seconds, StageInstructions
from nalm_agent.mutants.scratch import Change, Scratch
from nalm_agent.report.progress import Progress
from nalm_agent.report.result import judged
from nalm_agent.runtime.errors import HostError, NalmError, TooFewCpusError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir

FINE_SECONDS = 1800.0
"""Time for the rounds of a mutant with a margin of its own."""
WAITING = "waiting"
"""What a measurement's own words begin: it says something only while it waits for another one."""
_PARTS = {"build": "build", WAITING: "waiting", "instructions": "count", "cycles": "cycles"}
"""Steps of a measurement whose time is kept, and what they are called in a record."""


@dataclass(frozen=True)
class Task:
    """One comparison: a mutant against its base, or, without a patch, the base against itself."""

    name: str
    scenario: str
    patch: Patch | None = None

    @property
    def expected(self) -> Expected:
        """The expected result."""
        if self.patch is None:
            return Expected(expect="same", kind=AA_KIND)
        patch = self.patch
        return Expected(
            expect=patch.expect,
            kind=patch.kind or "",
            stage=patch.stage,
            cause=patch.cause,
            ipp=patch.ipp.value if patch.ipp else None,
            cpp=patch.cpp.value if patch.cpp else None,
            cpp_estimated=bool(patch.cpp and patch.cpp.estimated),
            mechanism=patch.mechanism,
        )

    def key(self, tree: str) -> str:
        """Digest of the base, the mutant and its measurement."""
        text = self.patch.text if self.patch else b""
        return hashlib.sha256(f"{tree}\0{self.name}\0{self.scenario}\0".encode() + text).hexdigest()


def mutant_tasks(patches: dict[str, Patch]) -> list[Task]:
    """One task per mutant."""
    return [Task(name, patch.scenario, patch) for name, patch in patches.items()]


def aa_tasks(count: int, scenario: str) -> list[Task]:
    """`count` comparisons of the base with itself."""
    return [Task(f"a-a/{number:03}", scenario) for number in range(1, count + 1)]


@dataclass
class Stopwatch:
    """Passes progress on, and keeps the time of each step."""

    inner: Progress
    name: str
    spent: dict[str, float] = field(default_factory=dict)
    _step: str | None = None
    _since: float = 0.0

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """The next step, or more of the same."""
        self._begin(name)
        self.inner.step(name, f"{self.name}: {detail}", fraction, seconds_left)

    def say(self, line: str) -> None:
        """Why it waits."""
        self._begin(WAITING)
        self.inner.say(line)

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Passed on."""
        self.inner.instructions(counts)

    def _begin(self, step: str) -> None:
        now = time.monotonic()
        if self._step is not None:
            self.spent[self._step] = self.spent.get(self._step, 0.0) + now - self._since
        self._step, self._since = step, now

    def seconds(self, total: float) -> Seconds:
        """The seconds of each part."""
        parts = {name: self.spent.get(step) for step, name in _PARTS.items()}
        return Seconds(total=total, **parts)


class Campaign:
    """The scratch repository and the place of the measurements."""

    def __init__(self, scratch: Scratch, home: Home, work: WorkDir, reports: Path | None) -> None:
        self.scratch, self.home, self.work, self.reports = scratch, home, work, reports
        if reports is not None:
            reports.mkdir(parents=True, exist_ok=True)

    def run(self, tasks: list[Task], journal: Journal, progress: Progress) -> Iterator[Record]:
        """Measures tasks that the journal lacks, and yields each record as soon as it is done.

        Raises HostError for a fault of this host.
        """
        tree = self.scratch.tree
        for number, task in enumerate(tasks, start=1):
            key = task.key(tree)
            known = journal.known.get(key)
            if known is None:
                known = self._measure(task, key, Stopwatch(progress, f"[{number}/{len(tasks)}] {task.name}"))
                journal.add(known)
            yield known

    def _measure(self, task: Task, key: str, watch: Stopwatch) -> Record:
        begin = time.monotonic()

        def record(outcome: Outcome, reason: str) -> Record:
            return Record(
                name=task.name,
                key=key,
                scenario=task.scenario,
                expected=task.expected,
                outcome=outcome,
                reason=reason,
                seconds=watch.seconds(time.monotonic() - begin),
            )

        try:
            report = self._report(task, watch)
        except TooFewCpusError as error:
            return record("skipped", error.message)
        except HostError:
            raise  # such as a full disk: the campaign goes on with --resume
        except NalmError as error:
            return record("error", error.full_text())
        watch.step("report", "verdict", 1.0)
        if self.reports is not None:
            (self.reports / f"{task.name.replace('/', '-')}.json").write_bytes(dump_report(report))
        return judged_record(report, record("same", "nothing to measure"))

    def _report(self, task: Task, watch: Stopwatch) -> RunReport:
        same = Change(self.scratch.base, self.scratch.base)
        change = same if task.patch is None else self.scratch.apply(task.patch)
        repository = Repository(self.scratch.path, self.work.fresh("git"))
        base, head = repository.resolve(change.base), repository.resolve(change.head)
        margin = None if task.patch is None else task.patch.margin
        request = Request(
            repository,
            base,
            head,
            task.scenario,
            force=task.patch is None,
            margin=margin,
            budget_seconds=None if margin is None else FINE_SECONDS,
        )
        return measure(request, self.home, self.work, watch)


def judged_record(report: RunReport, record: Record) -> Record:
    """The record with what the report's verdict says. A base that could not be measured is an error."""
    verdict = judged(report)
    if verdict is None:
        return record
    failed = report.status is RunStatus.FAILED
    chain, size, why = verdict.chain, verdict.size, explain(report, verdict)
    old = chain.base.ipp if chain and chain.base else None
    new = chain.head.ipp if chain and chain.head else None
    return record.model_copy(
        update={
            "outcome": "error" if failed else verdict.outcome,
            "reason": verdict.reason,
            "culprit_stages": verdict.culprit_stages,
            "cause": verdict.cause,
            "instruction_changes": [
                StageInstructions(stage=one.stage, ln_ipp=one.ln_ipp, chain_share=one.chain_share)
                for one in verdict.instruction_changes
            ],
            "detail": why.detail,
            "possible": [one.detail for one in why.possible],
            **untouched_rows(verdict, record.expected.stage),
            "margin": report.settings.margin,
            "ratio_cpp": size.ratio if size else None,
            "low": size.low if size else None,
            "high": size.high if size else None,
            "ratio_ipp": new / old if old and new else None,
            "launches": launches_done(report),
            "host": report.host.name,
            "host_class": report.host.host_class,
            "version": report.nalm_version,
            "at": report.started_at,
        }
    )
