# SPDX-License-Identifier: Apache-2.0
"""A job has one holder and one result and is not lost, for every order of actions by agents and people."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from nalm_server.app import workers
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.tokens.principal import SYSTEM, Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ConflictError, FencedOffError
from nalm_server.git.commits.order import record
from nalm_server.jobs import actions, presentation
from nalm_server.jobs import service as jobs
from nalm_server.jobs.agents import service as agents
from nalm_server.jobs.agents.schemas import Finish, LeaseRequest, Progress, Release
from nalm_server.jobs.schemas import HELD, OPEN, JobDetail, JobReason, JobState
from nalm_server.jobs.states import NEXT
from nalm_server.results import intake as runs
from nalm_server.results.repository import of_job
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy.orm import Session
from tiers import size_of_tier

AGENT = Principal(Scope.AGENT, None, "agent")
HOSTS = st.sampled_from(["bench-1", "bench-2"])
STEPS = st.sampled_from(["building", "measuring sfc_a", "uploading", "looking around"])
SCENARIOS = st.sampled_from(["sfc_a", "sfc_b"])
ENDS = st.sampled_from(
    [("done", None), ("failed", "build"), ("failed", "infrastructure"), ("failed", "generator_busy")]
)
ANY = st.integers(0, 2**16)
NUMBERS = itertools.count(1)
MOST_JOBS = 4
LONGER_THAN_A_LEASE = 61.0
LONGER_THAN_ANY_PAUSE = 1200.0


class JobsMachine(RuleBasedStateMachine):
    """Two agents that keep all their leases, expired ones too, and send messages with any of them."""

    at: ClassVar[Service]

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[int] = []
        self.heads: dict[int, int] = {}
        self.leases: list[tuple[int, int]] = []
        """All (job, fence) ever given."""
        self.holds: dict[int, int] = {}
        """By job the fence that may speak for it, as these rules have it."""

    def _write(self, act: Callable[[Session], Any]) -> Any:
        with self.at.context.sessions() as session:
            done = act(session)
            session.commit()
        return done

    def _job(self, number: int) -> JobDetail:
        with self.at.context.read_sessions() as session:
            return presentation.get_job(session, number, self.at.clock())

    def _spoken(self, lease: tuple[int, int], act: Callable[[], Any]) -> bool:
        """True if the server accepts the message. It accepts messages of the holder only."""
        job, fence = lease
        may = self.holds.get(job) == fence
        try:
            act()
        except FencedOffError:
            assert not may or self._job(job).state is JobState.FAILED, "the holder was not heard"
            return False
        assert may, "somebody was heard who is not the holder"
        return True

    @precondition(lambda self: len(self.jobs) < MOST_JOBS)
    @rule()
    def push(self) -> None:
        number = next(NUMBERS)

        def queue(session: Session) -> int:
            project = projects.find(session, "demo")
            assert project is not None
            commit = record(session, project.id, sha(number), sha(number - 1))
            reason, now = JobReason.PUSH, self.at.clock()
            return jobs.enqueue(session, commit, sha(number - 1), reason=reason, why="test", now=now).id

        job = self._write(queue)
        self.jobs.append(job)
        self.heads[job] = number

    @rule(host=HOSTS)
    def lease(self, host: str) -> None:
        self._lease(host)

    def _lease(self, host: str) -> int | None:
        expected = LeaseRequest(host=host, host_class="vm-2")
        agents.host_seen(self.at.context, AGENT, expected)
        given = agents.lease_once(self.at.context, expected)
        if given is None:
            return None
        assert not isinstance(given, agents.NotNow)
        assert given.job_id in self.jobs
        fences = [fence for job, fence in self.leases if job == given.job_id]
        assert given.fence > max(fences, default=0), "a lease like an older one"
        self.leases.append((given.job_id, given.fence))
        self.holds[given.job_id] = given.fence
        return given.job_id

    @precondition(lambda self: self.leases)
    @rule(which=ANY, step=STEPS)
    def heartbeat(self, which: int, step: str) -> None:
        lease = job, fence = self.leases[which % len(self.leases)]
        reported, now = Progress(fence=fence, step=step), self.at.clock()
        self._spoken(
            lease,
            lambda: self._write(
                lambda s: agents.progress(s, self.at.context.settings, AGENT, job, reported, now=now)
            ),
        )

    @precondition(lambda self: self.leases)
    @rule(which=ANY, scenario=SCENARIOS)
    def upload(self, which: int, scenario: str) -> None:
        lease = job, fence = self.leases[which % len(self.leases)]
        head = self.heads[job]
        report = make_report(next(NUMBERS), base=head - 1, head=head, scenario=scenario, status="unchanged")
        body = body_of(report)
        self._spoken(lease, lambda: runs.take_report(self.at.context, AGENT, body, job, fence))

    @precondition(lambda self: self.leases)
    @rule(which=ANY, end=ENDS)
    def finish(self, which: int, end: tuple[Any, Any]) -> None:
        lease = job, fence = self.leases[which % len(self.leases)]
        before = self._job(job)
        reported, now = Finish(fence=fence, outcome=end[0], kind=end[1]), self.at.clock()

        def act() -> None:
            self._write(lambda s: agents.finish(s, self.at.context.settings, AGENT, job, reported, now=now))

        if before.state in OPEN:
            if self._spoken(lease, act):
                del self.holds[job]
            return
        try:
            act()
        except FencedOffError:
            return
        assert self._job(job) == before, "told a second time, it changed something"

    @precondition(lambda self: self.leases)
    @rule(which=ANY)
    def release(self, which: int) -> None:
        lease = job, fence = self.leases[which % len(self.leases)]
        reported, now = Release(fence=fence), self.at.clock()
        if self._spoken(lease, lambda: self._write(lambda s: agents.release(s, AGENT, job, reported, now))):
            del self.holds[job]

    @rule()
    def silence(self) -> None:
        """Lasts longer than a lease. An agent that returns before another one has the job continues it."""
        self.at.clock.pass_seconds(LONGER_THAN_A_LEASE)

    @rule()
    def tick(self) -> None:
        workers.drain_jobs(self.at.context)

    @precondition(lambda self: self.jobs)
    @rule(which=ANY, act=st.sampled_from([actions.cancel, actions.retry, actions.boost]))
    def person(self, which: int, act: Any) -> None:
        job = self.jobs[which % len(self.jobs)]
        try:
            self._write(lambda session: act(session, SYSTEM, job, "test", self.at.clock()))
        except ConflictError:
            return
        if act is not actions.boost:
            self.holds.pop(job, None)

    @precondition(lambda self: self.jobs)
    @rule(which=ANY)
    def supersede(self, which: int) -> None:
        """A forced push removes the commit: a job that no agent has begun is dropped."""
        job = self.jobs[which % len(self.jobs)]
        shas, now = [sha(self.heads[job])], self.at.clock()
        project = 1
        if self._write(lambda s: jobs.supersede(s, project, why="test", now=now, shas=shas)):
            self.holds.pop(job, None)

    @invariant()
    def all_is_well(self) -> None:
        with self.at.context.read_sessions() as session:
            for number in self.jobs:
                job = presentation.get_job(session, number, self.at.clock())
                self._is_well(job)
                results = Counter(run.scenario_id for run in of_job(session, number))
                assert all(count == 1 for count in results.values()), "two results of a scenario"
                assert results or job.state is not JobState.DONE

    def _is_well(self, job: JobDetail) -> None:
        states = [one.state for one in job.transitions]
        assert states[0] is JobState.QUEUED
        assert states[-1] is job.state
        assert all(after in NEXT[before] for before, after in pairwise(states)), states
        assert (job.finished_at is None) == (job.state in OPEN)
        if job.state in HELD:
            assert job.id in self.holds, "under way, and nobody has it"

    def _fail(self, job: int) -> None:
        reported, now = Finish(fence=self.holds[job], outcome="failed", kind="build"), self.at.clock()
        self._write(lambda s: agents.finish(s, self.at.context.settings, AGENT, job, reported, now=now))

    def teardown(self) -> None:
        """No job is lost: each open job is given out again, or has been given out too often."""
        self.at.clock.pass_seconds(LONGER_THAN_ANY_PAUSE)
        waiting = {number for number in self.jobs if self._job(number).state in OPEN}
        given = set()
        while (job := self._lease("bench-1")) is not None:
            given.add(job)
            self._fail(job)
        for number in waiting - given:
            message = self._job(number).message or ""
            assert "without a result" in message, f"job {number} is lost"
        assert not [number for number in self.jobs if self._job(number).state in OPEN]


def test_whatever_happens(service: Service) -> None:
    class Bound(JobsMachine):
        at = service

    examples = size_of_tier(night=8, day=3)
    run_state_machine_as_test(
        Bound, settings=settings(max_examples=examples, stateful_step_count=20, deadline=None, database=None)
    )
