# SPDX-License-Identifier: Apache-2.0
"""Pull requests that no webhook told of, found at a forge's API beside a real repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.settings import Settings
from nalm_server.git.events import PullRequestChanged
from nalm_server.notify.forges import http
from nalm_server.polling import pull_requests
from nalm_server.polling import tasks as reconcile
from nalm_server.polling.replay import make_up_request
from nalm_server_harness import Clock
from nalm_server_polled import TURN, Scene, polled
from nalm_server_sockets import Reply
from sqlalchemy import select

REFUSALS = [
    (Reply(403, b'{"message":"Resource not accessible"}'), "give the integration another"),
    (Reply(200, b'{"message":"no list"}'), "is this its API's address"),
    (Reply(cut=True), "disconnected"),
    (Reply(403, headers={"X-RateLimit-Remaining": "0", "Retry-After": "500"}), "403"),
]


@pytest.fixture
def scene(make_settings: Callable[..., Settings], clock: Clock, tmp_path: Path) -> Iterator[Scene]:
    with polled(make_settings(outgoing_allow="127.0.0.1"), clock, tmp_path / "forge") as made:
        yield made


def test_opened_pushed_to_closed_and_merged_without_a_delivery(scene: Scene) -> None:
    scene.connect("gitea")
    first, second = scene.topic("first"), scene.topic("second")
    one, two = scene.pull(1, first), scene.pull(2, second, fork=True)
    scene.turn()
    assert scene.error() is None
    assert set(scene.jobs()) == {(scene.base, first, 1, "queued"), (scene.base, second, 2, "queued")}
    held = {job["pull_request"]: job["held"] for job in scene.service.get("/jobs")}
    assert held[1] is None and "comes from a fork: a developer must approve it" in held[2]
    moved = scene.topic("moved")
    scene.fake.pulls = {1: replace(one, head=moved), 2: two.ended("closed")}
    scene.turn()
    assert set(scene.jobs()) == {
        (scene.base, first, 1, "superseded"),
        (scene.base, second, 2, "superseded"),
        (scene.base, moved, 1, "queued"),
    }
    scene.fake.pulls[1] = replace(one, head=moved).ended("merged", merged_as=moved)
    scene.turn()
    assert scene.known() == {1: "merged", 2: "closed"}
    assert {state for *_, state in scene.jobs()} == {"superseded"}
    assert scene.error() is None


@pytest.mark.nightly
def test_late_webhook_makes_no_second_job_and_a_look_after_a_webhook_none_either(scene: Scene) -> None:
    scene.connect("github")
    found = scene.pull(1, scene.topic("found"))
    scene.turn()
    (before,) = scene.service.get("/jobs")
    assert scene.reported(found)["job_ids"] == [before["id"]]
    reported = scene.pull(2, scene.topic("told"))
    answer = scene.reported(reported)
    scene.turn()
    assert [job["id"] for job in scene.service.get("/jobs")] == [*answer["job_ids"], before["id"]]
    scene.fake.pulls[1] = found.ended("closed")
    scene.turn()
    scene.reported(found.ended("closed"), "closed")
    assert scene.known() == {1: "closed", 2: "open"}
    assert [state for *_, state in scene.jobs()] == ["superseded", "queued"]


def test_reopened_is_measured_again_by_the_same_job_and_deleted_is_closed(scene: Scene) -> None:
    scene.connect("gitlab")
    pull = scene.pull(1, scene.topic())
    for now in (pull, pull.ended("closed"), pull):
        scene.fake.pulls[1] = now
        scene.turn()
    assert scene.jobs() == [(scene.base, pull.head, 1, "queued")]
    scene.fake.pulls.clear()
    scene.turn()
    assert (scene.known(), scene.error()) == ({1: "closed"}, None)


@pytest.mark.dialects
def test_what_a_merge_queue_waits_for_is_queued_once(scene: Scene) -> None:
    merged = scene.topic()
    scene.repo.push(f"topic:refs/heads/gh-readonly-queue/main/pr-9-{scene.base}")
    for _ in range(2):
        scene.turn()
    assert scene.jobs() == [(scene.base, merged, 9, "queued")]


def test_what_was_open_before_is_history_until_it_changes(scene: Scene) -> None:
    old = scene.pull(1, scene.topic("old"))
    for _ in range(4):
        scene.turn()
    scene.connect("github")
    scene.turn()
    assert (scene.jobs(), scene.known()) == ([], {})
    scene.fake.pulls[1] = replace(old, head=scene.topic("new"), updated_at=scene.clock.now)
    scene.turn()
    assert scene.jobs() == [(scene.base, scene.fake.pulls[1].head, 1, "queued")]


@pytest.mark.dialects
def test_what_a_webhook_said_a_moment_ago_is_newer_than_the_list(scene: Scene) -> None:
    scene.connect("github")
    pull = scene.pull(1, scene.topic("old"))
    scene.clock.pass_seconds(TURN)
    newer = replace(pull, head=scene.topic("newer"))
    scene.reported(newer)
    reconcile.drain(scene.service.context)
    assert scene.jobs() == [(scene.base, newer.head, 1, "queued")]
    with scene.service.context.read_sessions() as session:
        project = session.scalars(select(ProjectRow)).one()
    closed = PullRequestChanged(1, "closed", pull.head, "main", fork=None)
    make_up_request(scene.service.context, project, closed, known=None)
    assert scene.known() == {1: "open"}, "it was told of while the forge was asked"


def test_many_pages(scene: Scene) -> None:
    scene.connect("github")
    scene.fake.page_size = 2
    head = scene.topic()
    for number in range(1, 6):
        scene.pull(number, head, base="stable")
    scene.turn()
    assert scene.known() == dict.fromkeys(range(1, 6), "open")
    assert scene.jobs() == [], "its branch is not watched"


@pytest.mark.dialects
def test_what_ended_is_found_among_more_open_ones_than_are_listed_or_requested(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.connect("github")
    head = scene.topic()
    first, second, third = (scene.pull(number, head, base="stable") for number in (1, 2, 3))
    scene.turn()
    scene.fake.pulls = {1: first, 2: second.ended("closed"), 3: replace(third, updated_at=scene.clock.now)}
    scene.fake.page_size = 1
    monkeypatch.setattr(http, "PAGES", 1)
    monkeypatch.setattr(pull_requests, "ENDED_AT_MOST", 1)
    for _ in range(100):  # each look finds it with probability 1/2
        scene.turn()
        if scene.known() == {1: "open", 2: "closed", 3: "open"}:
            break
    assert scene.known() == {1: "open", 2: "closed", 3: "open"}


@pytest.mark.nightly
@pytest.mark.dialects
def test_one_that_nobody_can_read_or_fetch_does_not_hide_the_others(scene: Scene) -> None:
    scene.connect("github")
    scene.pull(1, "f" * 40)
    scene.pull(2, "no sha")
    good = scene.pull(3, scene.topic())
    scene.turn()
    assert scene.jobs() == [(scene.base, good.head, 3, "queued")]
    assert "pull request 1: The repository does not serve commit fffffff" in (scene.error() or "")
    scene.service.request("PUT", "/projects/demo/read-token", "admin", 204, json={"token": "x"})
    assert scene.error() is None, "the error was that of the token before"


@pytest.mark.dialects
def test_a_forge_that_refuses_slows_nothing_else_and_is_made_up_for(scene: Scene) -> None:
    scene.connect("github")
    pull = scene.pull(1, scene.topic())
    for reply, said in REFUSALS:
        scene.fake.troubles = [reply]
        scene.turn()
        error = scene.error() or ""
        assert error.startswith("pull requests: ") and said in error and "good" not in error
    scene.repo.push("topic:main")
    scene.turn()
    assert (scene.base, pull.head, None, "queued") in scene.jobs(), (
        "branches are looked at as often as before"
    )
    assert "not polled until" in (scene.error() or ""), "as long as the last refusal asked for"
    scene.turn()
    assert (scene.error(), scene.known()) == (None, {1: "open"})
