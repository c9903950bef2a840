# SPDX-License-Identifier: Apache-2.0
"""Schedules on a real repository: each due commit is measured once, against the chosen base."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_server.campaigns.schedules import cron, pairs, work
from nalm_server.git.refs import repository as refs
from nalm_server_git import Repo
from nalm_server_harness import Clock, Service
from nalm_server_repo import local_repo

pytestmark = pytest.mark.dialects

SCHEDULES = "/projects/demo/schedules"
HOUR = 3600.0
"""The clock starts at nine on a Saturday."""


@pytest.fixture
def repo(service: Service, tmp_path: Path) -> Repo:
    return local_repo(service, tmp_path / "forge")


def add(service: Service, against: str = "previous", status: int = 201, **given: Any) -> Any:
    expected = {"name": "hourly", "cron": "0 * * * *", "against": against, **given}
    return service.post(SCHEDULES, "admin", status, expected)


def ask(service: Service, method: str, status: int = 200, **given: Any) -> Any:
    return service.request(method, f"{SCHEDULES}/hourly", "admin", status, **given)


def run(service: Service, clock: Clock, hours: float = 1) -> list[tuple[str, str]]:
    """Returns (base, head) of all scheduled jobs, oldest first."""
    clock.pass_seconds(hours * HOUR)
    work.drain(service.context)
    return [(job["base_sha"], job["head_sha"]) for job in reversed(service.get("/jobs", project="demo"))]


def said(service: Service) -> str:
    return str(service.get(SCHEDULES)[0]["message"])


def push(repo: Repo, *messages: str) -> list[str]:
    made = [repo.commit(one) for one in messages]
    repo.push()
    return made


def release(service: Service, clock: Clock, tag: str, sha: str) -> None:
    with service.context.sessions() as session:
        refs.place_tag(session, 1, tag, sha, clock())
        session.commit()


def test_previous_is_what_was_measured_before(service: Service, clock: Clock, repo: Repo) -> None:
    first, second = push(repo, "first", "second")
    add(service)
    assert run(service, clock, 0.5) == []
    assert run(service, clock, 0.5) == [(first, second)]
    assert run(service, clock) == [(first, second)]
    assert said(service).startswith("Nothing changed")
    *_, fourth = push(repo, "third", "fourth")
    assert run(service, clock, 5) == [(first, second), (second, fourth)], "missed times count once"
    assert service.get("/jobs", project="demo")[0]["reason"] == "schedule"
    shown = service.get(SCHEDULES)[0]
    assert (shown["last_sha"], shown["next_at"]) == (fourth, "2026-11-21T17:00:00Z")


def test_what_was_measured_before_is_gone_from_the_branch(service: Service, clock: Clock, repo: Repo) -> None:
    base, _ = push(repo, "base", "dropped")
    add(service)
    run(service, clock)
    repo.git("reset", "--quiet", "--hard", base)
    (kept,) = push(repo, "kept")
    assert run(service, clock)[-1] == (base, kept)


def test_release_is_the_newest_behind_the_tip(service: Service, clock: Clock, repo: Repo) -> None:
    first, second, third = push(repo, "first", "second", "third")
    add(service, "release")
    assert run(service, clock) == []
    assert "no earlier release" in said(service)
    release(service, clock, "v1", first)
    release(service, clock, "other", "f" * 40)
    assert run(service, clock) == [(first, third)]
    assert run(service, clock) == [(first, third)]
    clock.pass_seconds(1)
    release(service, clock, "v2", second)
    assert run(service, clock)[-1] == (second, third)


def test_parent_and_scenarios(service: Service, clock: Clock, repo: Repo) -> None:
    _, second, third = push(repo, "first", "second", "third")
    add(service, "parent", scenarios=["soak"])
    add(service, "parent", name="other")
    assert run(service, clock) == [(second, third)] * 2, "two choices of scenarios are two jobs"
    assert {str(job["scenarios"]) for job in service.get("/jobs", project="demo")} == {"None", "['soak']"}


def test_each_commit_is_compared_with_its_parent(service: Service, clock: Clock, repo: Repo) -> None:
    first, second, third = push(repo, "first", "second", "third")
    add(service, "each")
    assert run(service, clock) == [(second, third)], "the first time, the tip"
    assert run(service, clock) == [(second, third)]
    fourth, fifth = push(repo, "fourth", "fifth")
    assert run(service, clock)[1:] == [(third, fourth), (fourth, fifth)]
    assert said(service).startswith("Job 2: ") and " Job 3: " in said(service)
    add(service, "each", name="rates", kind="rate", scenarios=["sfc_a"], since=first)
    assert run(service, clock)[3:] == list(itertools.pairwise([first, second, third, fourth, fifth]))
    assert service.get("/jobs", project="demo")[0]["scenarios"] == ["sfc_a:rate"]


def test_since_is_the_first_base(service: Service, clock: Clock, repo: Repo) -> None:
    first, _, third = push(repo, "first", "second", "third")
    add(service, since=first)
    assert service.get(SCHEDULES)[0]["last_sha"] == first
    assert run(service, clock) == [(first, third)]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"against": "parent", "since": "a" * 40}, "leave out since"),
        ({"since": "v1.0"}, "since"),
        ({"against": "all"}, "each"),
    ],
)
def test_a_wrong_base_is_refused(service: Service, given: dict[str, str], wrong: str) -> None:
    assert wrong in str(add(service, status=422, **given)["error"])


def test_a_schedule_measures_at_most_so_many_commits_at_a_time(
    service: Service, clock: Clock, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "MOST_EACH", 2)
    made = push(repo, "first", "second", "third", "fourth")
    add(service, "each", since=made[0])
    assert run(service, clock) == [(made[1], made[2]), (made[2], made[3])]
    assert service.get(SCHEDULES)[0]["last_sha"] == made[3]


def test_two_workers_make_one_job(service: Service, clock: Clock, repo: Repo) -> None:
    push(repo, "first", "second")
    add(service)
    clock.pass_seconds(HOUR)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work.drain, [service.context] * 4))
    assert len(service.get("/jobs", project="demo")) == 1


def test_a_repository_that_is_away_is_tried_again(service: Service, clock: Clock, repo: Repo) -> None:
    push(repo, "first", "second")
    add(service, cron="0 10 * * *")
    away = repo.path.rename(repo.path.with_name("away"))
    assert run(service, clock) == []
    assert service.get(SCHEDULES)[0]["next_at"] == "2026-11-21T10:05:00Z"
    away.rename(repo.path)
    assert len(run(service, clock, 0.1)) == 1


def test_changed_disabled_removed_and_audited(service: Service, clock: Clock, repo: Repo) -> None:
    push(repo, "first", "second")
    assert add(service)["next_at"] == "2026-11-21T10:00:00Z"
    assert "another name" in add(service, status=409)["error"]["message"]
    assert ask(service, "PATCH", json={"cron": "30 3 * * MON"})["next_at"] == "2026-11-23T03:30:00Z"
    assert ask(service, "PATCH", json={"enabled": False})["next_at"] is None
    assert run(service, clock, 100) == []
    assert ask(service, "PATCH", json={"enabled": True, "scenarios": ["soak"]})["scenarios"] == ["soak"]
    ask(service, "DELETE", 204)
    ask(service, "DELETE", 404)
    actions = [one["action"] for one in service.request("GET", "/projects/demo/audit", "admin")]
    assert [one for one in actions if one.startswith("schedule")] == [
        "schedule.remove",
        *["schedule.change"] * 3,
        "schedule.add",
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("* * * *", "five fields are needed, 4 are given"),
        ("60 * * * *", "the minute '60'"),
        ("0 mon * * *", "the hour 'mon'"),
        ("0 0 0 * *", "the day of the month '0'"),
        ("0 0 * 1-13 *", "the month '1-13'"),
        ("0 0 * * 1-5;x", "the day of the week '1-5;x'"),
        ("*/0 * * * *", "the minute '*/0'"),
        ("1,,2 * * * *", "the minute '1,,2'"),
        ("0 0 31 feb *", "there is no such day"),
    ],
)
def test_errors_say_which_field(text: str, wrong: str) -> None:
    with pytest.raises(cron.CronError) as caught:
        cron.checked(text, datetime(2026, 11, 21, tzinfo=UTC))
    assert wrong in str(caught.value)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("0 9 * * *", "2026-11-22T09:00"),
        ("1 9 * * *", "2026-11-21T09:01"),
        ("*/15 8-18/2 * * mon-fri", "2026-11-23T08:00"),
        ("0 0 29 2 mon", "2044-02-29T00:00"),
        ("0 0 1 jan,jul *", "2027-01-01T00:00"),
        ("0 22-3 * * sat-sun", "2026-11-21T22:00"),
    ],
)
def test_next_time(text: str, at: str) -> None:
    found = cron.parse(text).after(datetime(2026, 11, 21, 9, 0, 1, tzinfo=UTC))
    assert found == datetime.fromisoformat(at).replace(tzinfo=UTC)


@given(st.text(alphabet="0123456789*/,- abmonfrijan;é\n", max_size=30))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    try:
        clean = cron.checked(text, now)
    except cron.CronError:
        return
    assert cron.parse(clean).after(now) > now
