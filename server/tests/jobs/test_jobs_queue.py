# SPDX-License-Identifier: Apache-2.0
"""The order of the queue, retries, and people's actions on jobs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import record
from nalm_server.jobs import leasing, repository, retries, tasks
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs import service as jobs
from nalm_server.jobs.agents.repository import SEEN_WITHIN
from nalm_server.jobs.approvals import Origin
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.queue_repository import Asker
from nalm_server.jobs.schemas import HELD, JobReason, JobState
from nalm_server.jobs.states import NEXT, require_allowed
from nalm_server_harness import Clock, Service, make_service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import event, text
from sqlalchemy.orm import Session

pytestmark = pytest.mark.dialects


def add_project(at: Service, name: str) -> None:
    at.post("/projects", "admin", 201, {"name": name, "repository": f"/srv/{name}.git"})


def enqueue(
    at: Service, number: int, reason: JobReason = JobReason.PUSH, project: str = "demo", **given: Any
) -> int:
    with at.context.sessions() as session:
        job = enqueue_in(session, at, number, reason, project=project, **given)
        session.commit()
    return job


def enqueue_in(
    session: Session,
    at: Service,
    number: int,
    reason: JobReason,
    *,
    project: str = "demo",
    base: int | None = None,
    why: str = "test",
    **given: Any,
) -> int:
    row = projects.find(session, project)
    assert row is not None
    commit = record(session, row.id, sha(number), sha(number - 1))
    against = sha(number - 1 if base is None else base)
    return jobs.enqueue(session, commit, against, reason=reason, why=why, now=at.clock(), **given).id


def take(at: Service, host: str = "bench-1") -> int | None:
    with at.context.sessions() as session:
        job = leasing.take_next(session, at.context.settings, Asker(host), at.clock())
        session.commit()
        return job.id if job else None


def reported(at: Service, lease: dict[str, Any], what: str, status: int = 200, **given: Any) -> Any:
    return at.post(
        f"/agent/jobs/{lease['job_id']}/{what}", "agent", status, {"fence": lease["fence"], **given}
    )


def test_priority_then_the_project_with_least_under_way(service: Service) -> None:
    add_project(service, "second")
    backfill = enqueue(service, 1, JobReason.BACKFILL)
    first, other = enqueue(service, 2), enqueue(service, 3)
    elsewhere = enqueue(service, 4, project="second")
    person = enqueue(service, 5, JobReason.PERSON)
    assert [take(service) for _ in range(6)] == [person, elsewhere, first, other, backfill, None]


@pytest.mark.nightly
def test_no_project_starves(service: Service, clock: Clock) -> None:
    """300 arrivals at random over 20 projects, most of two of them, and three agents. A project that waits
    sees at most three turns of each project go by."""
    chance, agents, hosts = random.Random(7), 3, service.context.settings
    with service.context.sessions() as session:
        ids = [projects.add(session, a_project(number, clock)).id for number in range(20)]
        commits = {one: [record(session, one, sha(n), None) for n in range(1, 4)] for one in ids}
        arrivals = chance.choices(ids, [200, 100] + [1] * 18, k=300)
        waiting: dict[int, list[tuple[int, int]]] = {one: [] for one in ids}
        waits, under_way, now, given = Counter[int](), list[JobRow](), clock(), 0
        while arrivals or under_way or any(waiting.values()):
            for one in [arrivals.pop() for _ in range(min(len(arrivals), chance.randint(0, 3)))]:
                commit = chance.choice(commits[one])
                waiting[one].append((commit.position, arrived(session, commit, now)))
            while len(under_way) < agents and (job := leasing.take_next(session, hosts, Asker("b"), now)):
                under_way.append(job)
                given += 1
                waiting[job.project_id].sort()
                assert waiting[job.project_id].pop(0)[1] == job.id, "parents before children, then in turn"
                for one in ids:
                    waits[one] = waits[one] + 1 if waiting[one] and one != job.project_id else 0
                assert max(waits.values()) <= agents * len(ids)
            if under_way:
                under_way.pop(chance.randrange(len(under_way))).state = JobState.DONE
            now += timedelta(seconds=1)
        assert given == 300
        session.rollback()


def a_project(number: int, clock: Clock) -> ProjectRow:
    return ProjectRow(
        name=f"p{number}", repository="/srv", default_branch="main", webhook_secret=b"", created_at=clock()
    )


def arrived(session: Session, commit: CommitRow, now: datetime) -> int:
    """Adds a queued job directly to the table, which is fast. Returns its id."""
    common = {"reason": "person", "state": "queued", "priority": 1, "attempts": 0, "fence": 0}
    job = JobRow(project_id=commit.project_id, commit_id=commit.id, head_sha=commit.sha, base_sha=sha(0))
    for key, value in {**common, "created_at": now, "updated_at": now, "updated_seq": 0}.items():
        setattr(job, key, value)
    session.add(job)
    session.flush()
    return job.id


def test_long_waiting_raises_the_priority(service: Service, clock: Clock) -> None:
    old = enqueue(service, 1, JobReason.BISECT)
    for _ in range(5):
        clock.pass_seconds(tasks.RAISED_AFTER.total_seconds() + 1)
        workers.drain_jobs(service.context)
    enqueue(service, 2)
    assert service.get(f"/jobs/{old}")["priority"] == 1
    assert take(service) == old


def test_infrastructure_is_tried_again_elsewhere_and_a_build_is_not(service: Service, clock: Clock) -> None:
    job = enqueue(service, 1)
    lease = service.lease(host="bench-1")
    failed = {"outcome": "failed", "kind": "infrastructure", "message": "disk full"}
    assert reported(service, lease, "finish", **failed) == {"state": "queued"}
    assert take(service, "bench-2") is None, "not before its pause is over"
    clock.pass_seconds(31)
    assert take(service, "bench-1") is None, "another host goes first"
    second = service.lease(host="bench-2")
    assert second["job_id"] == job
    reported(service, lease, "finish", 409, outcome="done")
    assert reported(service, second, "finish", outcome="failed", kind="build") == {"state": "failed"}
    retries = service.get(f"/jobs/{job}")["retries"]
    assert len(retries) == 1
    assert "disk full" in retries[0]["reason"]
    again = service.post(f"/jobs/{job}/retry", "admin", 200, {})
    assert (again["state"], again["attempts"]) == ("queued", 0)


BUSY = {"outcome": "failed", "kind": "generator_busy", "message": "generator lab is taken by 'alice'\nhint"}


@pytest.mark.nightly
def test_a_job_waits_for_its_generator_without_an_attempt(service: Service, clock: Clock) -> None:
    job = enqueue(service, 1)
    pauses = []
    for _ in range(12):
        lease = service.lease()
        assert lease["job_id"] == job
        clock.pass_seconds(60)
        assert reported(service, lease, "finish", **BUSY) == {"state": "queued"}
        seen = service.get(f"/jobs/{job}")
        assert (seen["attempts"], seen["message"]) == (0, "generator lab is taken by 'alice'")
        assert "its generator has been in use since" in seen["waiting"] and "'alice'" in seen["waiting"]
        pauses.append((datetime.fromisoformat(seen["not_before"]) - clock()).total_seconds())
        assert take(service) is None, "not before its pause is over"
        clock.pass_seconds(pauses[-1] + 1)
    assert pauses == sorted(pauses) and (pauses[0], pauses[-1]) == (30, 900)
    lease = service.lease()
    reported(service, lease, "progress", step="measuring")
    assert reported(service, lease, "finish", outcome="failed", kind="nf") == {"state": "failed"}


def test_a_job_whose_generator_stays_in_use_fails_in_the_end(
    make_settings: Callable[..., Any], clock: Clock, request: pytest.FixtureRequest
) -> None:
    service = make_service(make_settings(generator_busy_hours=1), clock)
    request.addfinalizer(service.context.engine.dispose)
    job = enqueue(service, 1)
    reported(service, service.lease(), "finish", **BUSY)
    clock.pass_seconds(1900)
    lease = service.lease()
    reported(service, lease, "progress", step="measuring")
    reported(service, lease, "finish", **BUSY)
    clock.pass_seconds(3500)
    queued = reported(service, service.lease(), "finish", **BUSY)
    assert queued == {"state": "queued"}, "it measured in between"
    clock.pass_seconds(1000)
    assert reported(service, service.lease(), "finish", **BUSY) == {"state": "failed"}
    failed = service.get(f"/jobs/{job}")
    assert failed["message"] == "Its generator was in use for 1 h: generator lab is taken by 'alice'"
    service.post(f"/jobs/{job}/retry", "admin", 200, {})
    assert reported(service, service.lease(), "finish", **BUSY) == {"state": "queued"}, "it starts over"


def test_a_job_given_back_is_free_at_once(service: Service) -> None:
    job = enqueue(service, 1)
    lease = service.lease(host="bench-1")
    assert reported(service, lease, "release", reason="draining") == {"state": "queued"}
    reported(service, lease, "progress", 409, step="building")
    assert take(service, "bench-2") == job
    assert service.get(f"/jobs/{job}")["attempts"] == 1


def give_back(at: Service, host: str = "bench-1") -> int:
    """The host takes a job, and returns it."""
    lease = at.lease(host=host)
    assert reported(at, lease, "release", reason="restarted") == {"state": "queued"}
    job: int = lease["job_id"]
    return job


def test_a_job_given_back_is_its_own_hosts_again_where_no_other_is_online(
    service: Service, clock: Clock
) -> None:
    service.lease(204, host="bench-2")
    clock.pass_seconds(SEEN_WITHIN.total_seconds() + 1)
    job = enqueue(service, 1)
    assert give_back(service) == job
    assert service.lease()["job_id"] == job


def test_a_job_given_back_waits_for_another_host_that_is_online(service: Service) -> None:
    service.lease(204, host="bench-2")
    job = enqueue(service, 1)
    give_back(service)
    service.lease(204)
    assert service.lease(host="bench-2")["job_id"] == job


@pytest.mark.parametrize("only", [{"only_host": "bench-1"}, {"not_host": "bench-2"}, {"needs": "pmu=1"}])
def test_a_job_given_back_waits_for_no_host_that_could_not_take_it(
    service: Service, only: dict[str, str]
) -> None:
    able = {"host": "bench-1", "host_class": "vm-2", "capabilities": {"pmu": True}}
    other = {"host": "bench-2", "host_class": "vm-2", "capabilities": {"pmu": False}}
    service.post("/agent/lease", "agent", 204, other)
    job = enqueue(service, 1, **only)
    lease = service.post("/agent/lease", "agent", 200, able)
    reported(service, lease, "release", reason="restarted")
    assert service.post("/agent/lease", "agent", 200, able)["job_id"] == job


def test_its_own_host_has_a_job_given_back_after_all_others(service: Service) -> None:
    first, urgent = enqueue(service, 1), enqueue(service, 2, JobReason.REFINE)
    assert give_back(service) == first
    assert [service.lease()["job_id"] for _ in range(2)] == [urgent, first]


@pytest.mark.nightly
def test_a_job_that_is_given_back_again_and_again_waits_longer(service: Service, clock: Clock) -> None:
    enqueue(service, 1)
    for seconds in [0, 0, 15, 30, 60, 120, 120]:
        if seconds:
            service.lease(204)
            clock.pass_seconds(seconds - 1)
            service.lease(204)
            clock.pass_seconds(1)
        give_back(service)
    clock.pass_seconds(retries.COUNTED.total_seconds())
    for _ in range(2):
        give_back(service)


def test_infrastructure_is_tried_again_here_where_no_other_host_is_online(
    service: Service, clock: Clock
) -> None:
    job = enqueue(service, 1)
    failed = {"outcome": "failed", "kind": "infrastructure", "message": "disk full"}
    reported(service, service.lease(), "finish", **failed)
    clock.pass_seconds(29)
    service.lease(204)
    clock.pass_seconds(1)
    assert service.lease()["job_id"] == job


def test_a_late_agent_has_its_job_back_if_nobody_took_it(service: Service, clock: Clock) -> None:
    enqueue(service, 1)
    lease = service.lease()
    clock.pass_seconds(61)
    workers.drain_jobs(service.context)
    assert service.get(f"/jobs/{lease['job_id']}")["state"] == "queued"
    service.upload(body_of(make_report(1)), token="agent", job_id=lease["job_id"], fence=lease["fence"])
    assert reported(service, lease, "finish", outcome="done") == {"state": "done"}


def test_a_cancelled_job_stops_its_agent(service: Service) -> None:
    job = enqueue(service, 1)
    lease = service.lease()
    assert service.post(f"/jobs/{job}/cancel", "admin", 200, {"reason": "a typo"})["state"] == "cancelled"
    answer = reported(service, lease, "progress", 409, step="building")
    assert "is cancelled" in answer["error"]["message"]
    assert service.get(f"/jobs/{job}")["transitions"][-1]["who"] == "admin"


def test_what_waits_for_approval_is_not_given_out(service: Service) -> None:
    job = enqueue(service, 1, JobReason.PULL_REQUEST, origin=Origin("2"), pull_request=7)
    assert take(service) is None
    assert service.post(f"/jobs/{job}/approve", "admin", 200, {})["held"] is None
    assert take(service) == job
    service.post(f"/jobs/{job}/approve", "admin", 409, {})
    other = enqueue(service, 2, JobReason.PULL_REQUEST, origin=Origin("2"), pull_request=8)
    assert service.post(f"/jobs/{other}/reject", "admin", 200, {})["state"] == "cancelled"


def test_a_pull_request_that_moved_drops_what_is_under_way(service: Service) -> None:
    old = enqueue(service, 1, JobReason.PULL_REQUEST, pull_request=7)
    lease = service.lease()
    new = enqueue(service, 2, JobReason.PULL_REQUEST, pull_request=7)
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        why, now = "pull request 7 moved", service.clock()
        dropped = jobs.supersede(session, project.id, pull_request=7, head=sha(1), why=why, now=now)
        session.commit()
    assert dropped == [old]
    reported(service, lease, "finish", 409, outcome="done")
    assert take(service) == new


def test_latest_only_widens_the_step(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    old = enqueue(service, 1)
    new = enqueue(service, 2)
    assert service.get(f"/jobs/{old}")["state"] == "superseded"
    assert service.get(f"/jobs/{new}")["base_sha"] == sha(0)
    assert enqueue(service, 2) == new, "the same push once more"


def test_latest_only_is_of_each_branch_alone(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    release = enqueue(service, 1, branch="release/1")
    old = enqueue(service, 2, branch="main")
    tag = enqueue(service, 3, why="release v2")
    new = enqueue(service, 4)
    shown = [service.get(f"/jobs/{job}") for job in (release, old, tag, new)]
    assert [one["state"] for one in shown] == ["queued", "superseded", "queued", "queued"]
    assert shown[3]["base_sha"] == sha(1)


def test_latest_only_finds_no_release_for_a_push_and_no_push_for_a_release(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    pushed = enqueue(service, 2, branch="main")
    tag = enqueue(service, 2, base=0, why="release v2")
    assert service.get(f"/jobs/{tag}")["base_sha"] == sha(0)
    assert enqueue(service, 2, branch="main") == pushed
    assert enqueue(service, 2, branch="release/1") == pushed, "the same pair"
    assert enqueue(service, 2, base=0, why="release v2") == tag


def test_latest_only_measures_a_push_once_that_a_release_measures_over_the_widened_step(
    service: Service,
) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    old = enqueue(service, 1)
    tag = enqueue(service, 2, base=0, why="release v2")
    assert enqueue(service, 2) == tag
    assert service.get(f"/jobs/{old}")["state"] == "superseded"
    assert enqueue(service, 2) == tag, "delivered twice"
    assert [one["id"] for one in service.get("/jobs")] == [tag, old]


def test_latest_only_leaves_an_older_push_that_is_delivered_again_to_the_newer_one(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    old = enqueue(service, 1)
    new = enqueue(service, 2)
    assert enqueue(service, 1) == old
    assert service.get(f"/jobs/{old}")["state"] == "superseded"
    assert take(service) == new
    assert enqueue(service, 1) == old
    assert service.get(f"/jobs/{old}")["state"] == "superseded"


def test_latest_only_measures_an_older_push_again_once_the_newer_one_is_dropped(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    old = enqueue(service, 1)
    new = enqueue(service, 2)
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        jobs.supersede(session, project.id, shas=[sha(2)], why="forced push", now=service.clock())
        session.commit()
    assert enqueue(service, 1) == old
    shown = [service.get(f"/jobs/{job}")["state"] for job in (old, new)]
    assert shown == ["queued", "superseded"]


def test_latest_only_keeps_a_push_whose_commits_a_release_has_too(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    shared = enqueue(service, 2)
    assert enqueue(service, 2, why="release v2") == shared
    assert enqueue(service, 2, why="release v2") == shared, "delivered twice"
    assert enqueue(service, 2) == shared, "it is still the push's, too"
    new = enqueue(service, 3)
    shown = [service.get(f"/jobs/{job}") for job in (shared, new)]
    assert [(one["state"], one["base_sha"]) for one in shown] == [("queued", sha(1)), ("queued", sha(2))]
    assert [one["reason"] for one in shown[0]["transitions"]] == ["test", "release v2"]


def test_a_host_called_release_makes_no_release(service: Service) -> None:
    shared = enqueue(service, 1)
    with service.context.sessions() as session:
        repository.add_transition(
            session, shared, JobState.QUEUED, service.clock(), "release returned it: draining", who="release"
        )
        session.commit()
        assert not repository.is_of_release(session, shared)


def test_the_table_of_transitions_is_the_law() -> None:
    assert set(NEXT) == set(JobState)
    assert not NEXT[JobState.DONE]
    assert all(JobState.QUEUED in NEXT[held] for held in HELD)
    with pytest.raises(Exception, match="cannot become measuring"):
        require_allowed(1, JobState.DONE, JobState.MEASURING)


@pytest.mark.nightly
def test_twenty_agents_get_two_hundred_jobs_once_each(service: Service) -> None:
    with service.context.sessions() as session:
        waiting = [enqueue_in(session, service, number, JobReason.PUSH) for number in range(1, 201)]
        session.commit()

    def agent(number: int) -> list[int]:
        mine = []
        while (job := take(service, f"bench-{number}")) is not None:
            mine.append(job)
        return mine

    with ThreadPoolExecutor(20) as pool:
        given = [job for mine in pool.map(agent, range(20)) for job in mine]
    assert sorted(given) == waiting


def test_choosing_among_very_many_jobs_reads_no_table(service: Service) -> None:
    """There are 8,192 jobs, of which 128 are queued. The query reads only the index of the queued ones."""
    first = enqueue(service, 1, JobReason.PERSON)
    columns = (
        "project_id, commit_id, base_sha, head_sha, reason, state, attempts, fence, created_at, updated_at"
    )
    with service.context.sessions() as session:
        session.execute(text("update jobs set state = 'done'"))
        for _ in range(13):
            session.execute(text(f"insert into jobs ({columns}) select {columns} from jobs"))
        session.execute(text("update jobs set state = 'queued' where id % 64 = 0"))
        session.commit()
        if session.get_bind().dialect.name == "postgresql":
            session.execute(text("analyze jobs"))
            plan = explained(session, service)
            assert "ix_jobs_waiting" in plan
            assert "Seq Scan on jobs" not in plan
    assert take(service) == 64 * (first // 64 + 1)


def explained(session: Session, at: Service) -> str:
    """Returns the database's plan of the query for the next turns."""
    requested: list[tuple[str, Any]] = []

    def note(_c: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        requested.append((statement, parameters))

    event.listen(at.context.engine, "before_cursor_execute", note)
    queue.turns(session, Asker("bench-1"), at.clock(), 20)
    event.remove(at.context.engine, "before_cursor_execute", note)
    statement, parameters = requested[-1]
    rows = session.connection().exec_driver_sql(f"explain {statement}", parameters)
    return "\n".join(row[0] for row in rows)


def test_a_clock_that_is_put_back_leaves_no_job_with_an_agent_that_died(
    service: Service, clock: Clock
) -> None:
    job = enqueue(service, 1)
    clock.pass_seconds(7200)
    lease = service.lease()
    clock.pass_seconds(-7200)
    assert service.lease(host="bench-2")["job_id"] == job
    reported(service, lease, "progress", 409, step="building")


def test_a_clock_a_little_behind_takes_no_job_away(service: Service, clock: Clock) -> None:
    enqueue(service, 1)
    clock.pass_seconds(20)
    lease = service.lease()
    clock.pass_seconds(-20)
    service.lease(204, host="bench-2")
    reported(service, lease, "progress", step="building")


def test_a_clock_that_is_put_back_keeps_no_job_waiting_for_its_next_try(
    service: Service, clock: Clock
) -> None:
    job = enqueue(service, 1)
    clock.pass_seconds(7200)
    reported(service, service.lease(), "finish", outcome="failed", kind="infrastructure", message="disk full")
    clock.pass_seconds(-7200)
    assert take(service) == job


def test_a_pull_request_opened_again_has_all_its_attempts_again(service: Service, clock: Clock) -> None:
    job = enqueue(service, 1, JobReason.PULL_REQUEST, pull_request=7)
    reported(service, service.lease(), "finish", outcome="failed", kind="generator_busy", message="busy")
    closed(service, 7)
    clock.pass_seconds(3 * 86_400)
    assert enqueue(service, 1, JobReason.PULL_REQUEST, pull_request=7) == job
    shown = service.get(f"/jobs/{job}")
    assert (shown["state"], shown["attempts"], shown["message"]) == ("queued", 0, None)
    reported(service, service.lease(), "finish", outcome="failed", kind="generator_busy", message="busy")
    assert service.get(f"/jobs/{job}")["state"] == "queued"


def test_what_a_person_requested_outlives_its_pull_request_and_its_push(service: Service) -> None:
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    pushed = enqueue(service, 1)
    pulled = enqueue(service, 3, JobReason.PULL_REQUEST, pull_request=7)
    for number in (1, 3):
        who = {"reason": JobReason.PERSON, "requested_by": "mona", "why": "requested by mona"}
        assert enqueue(service, number, **who) in (pushed, pulled)
    enqueue(service, 2)
    closed(service, 7)
    shown = [service.get(f"/jobs/{job}") for job in (pushed, pulled)]
    assert [(one["state"], one["requested_by"], one["priority"]) for one in shown] == [
        ("queued", "mona", 0),
        ("queued", "mona", 0),
    ]
    assert shown[0]["transitions"][-1]["reason"] == "requested by mona"


def closed(service: Service, pull_request: int) -> None:
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        jobs.supersede(session, project.id, pull_request=pull_request, why="closed", now=service.clock())
        session.commit()


def test_a_list_in_the_queues_order_has_each_jobs_place(service: Service) -> None:
    """Also where more jobs wait than a list has; a job's own page has the same place."""
    add_project(service, "second")
    with service.context.sessions() as session:
        last = [enqueue_in(session, service, number, JobReason.BACKFILL) for number in range(1, 6)]
        session.commit()
    elsewhere = enqueue(service, 1, project="second")
    child, parent = enqueue(service, 9), enqueue(service, 8)
    person = enqueue(service, 7, JobReason.PERSON)
    listed = service.client.get(
        "/api/v1/jobs",
        params={"order": "queue", "state": "queued", "limit": 6},
        headers={"Authorization": f"Bearer {service.tokens['admin']}"},
    )
    places = [(one["id"], one["queue_position"]) for one in listed.json()]
    assert places == [(person, 1), (elsewhere, 2), (parent, 2), (child, 3), (last[0], 5), (last[1], 6)]
    assert service.get(f"/jobs/{last[4]}")["queue_position"] == 9
    running = take(service)
    assert running == person
    assert service.get(f"/jobs/{person}")["queue_position"] is None
    assert service.get("/jobs", order="queue")[-1]["id"] == person
    assert service.get(f"/jobs/{last[4]}")["queue_position"] == 8
