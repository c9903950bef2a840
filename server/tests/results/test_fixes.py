# SPDX-License-Identifier: Apache-2.0
"""Which run of which commit is the fix of a regression."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.auth.access import project_repository as projects
from nalm_server.git.commits.order import record
from nalm_server.jobs.schemas import JobReason, JobState
from nalm_server.jobs.service import enqueue, move
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha

SLOW, SLOWER = {"nat": 190.0}, {"nat": 230.0}
HEAD = 50
"""A pull request's, on no branch that is listed."""


def measure(
    service: Service, run: int, base: int, head: int, reason: JobReason | None = None, **costs: Any
) -> None:
    report = body_of(make_report(run, base=base, head=head, **costs))
    if reason is None:
        service.upload(report)
        return
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        commit = record(session, project.id, sha(head), sha(base), listed=head != HEAD)
        given: Any = {"pull_request": 7} if reason is JobReason.PULL_REQUEST else {}
        job = enqueue(session, commit, sha(base), reason=reason, why="x", now=service.clock(), **given)
        job.fence = 1
        for state in (JobState.LEASED, JobState.MEASURING):
            move(session, job, state, service.clock(), "test")
        session.commit()
    service.upload(report, token="agent", job_id=job.id, fence=1)


def line(service: Service, last: int) -> None:
    """Commits up to this one are on the default branch."""
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        for number in range(last + 1):
            record(session, project.id, sha(number), sha(number - 1) if number else None)
        session.commit()


def fixed_by(service: Service, run: int) -> Any:
    return service.get(f"/runs/{run:032x}")["verdict"]["fixes_sha"]


def test_the_merge_fixes_it_and_not_the_head_of_its_pull_request(service: Service) -> None:
    line(service, 2)
    measure(service, 1, 0, 1, head_costs=SLOW)
    measure(service, 2, 2, HEAD, JobReason.PULL_REQUEST, base_costs=COSTS | SLOW, head_costs=COSTS)
    measure(service, 3, 2, 3, base_costs=COSTS | SLOW, head_costs=COSTS)
    assert [fixed_by(service, run) for run in (2, 3)] == [None, sha(1)]


def test_a_pull_request_that_is_not_merged_takes_no_fix(service: Service) -> None:
    line(service, 3)
    measure(service, 1, 0, 1, head_costs=SLOW)
    measure(service, 2, 1, HEAD, JobReason.PULL_REQUEST, base_costs=COSTS | SLOW, head_costs=SLOWER)
    measure(service, 3, 2, 3, base_costs=COSTS | SLOW, head_costs=COSTS)
    assert fixed_by(service, 3) == sha(1)


@pytest.mark.parametrize("reason", [JobReason.SCHEDULE, JobReason.BISECT])
def test_a_range_that_contains_the_regression_takes_no_fix(service: Service, reason: JobReason) -> None:
    line(service, 4)
    measure(service, 1, 0, 1, head_costs=SLOW)
    measure(service, 2, 0, 3, reason, head_costs=SLOW)
    measure(service, 3, 3, 4, base_costs=COSTS | SLOW, head_costs=COSTS)
    assert fixed_by(service, 3) == sha(1)


def test_a_better_range_fixes_no_regression_within_it(service: Service) -> None:
    """The first commit made more of it faster than the second made slower."""
    line(service, 3)
    measure(service, 1, 0, 1, base_costs=COSTS | SLOWER, head_costs=COSTS)
    measure(service, 2, 1, 2, head_costs=SLOW)
    measure(service, 3, 0, 3, JobReason.SCHEDULE, base_costs=COSTS | SLOWER, head_costs=SLOW)
    measure(service, 4, 3, 4, base_costs=COSTS | SLOW, head_costs=COSTS)
    assert [fixed_by(service, run) for run in (3, 4)] == [None, sha(2)]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_commits_own_pair_counts_and_not_a_range_that_ends_there(
    service: Service, order: tuple[int, int]
) -> None:
    line(service, 4)
    runs: dict[int, Any] = {
        1: {"base": 2, "base_costs": COSTS | SLOW},
        2: {"base": 0, "reason": JobReason.SCHEDULE},
    }
    for run in order:
        measure(service, run, head=3, head_costs=SLOWER, **runs[run])
    measure(service, 3, 3, 4, base_costs=COSTS | SLOWER, head_costs=SLOW)
    found = service.get(f"/runs/{3:032x}")["verdict"]
    assert found["fixes_sha"] == sha(3)
    assert found["recovery"]["remains"] == pytest.approx(1, abs=0.01)
