# SPDX-License-Identifier: Apache-2.0
"""What looking at repositories costs, and that one of them does not hold up the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nalm_server.base.outgoing import network
from nalm_server.base.settings import Settings
from nalm_server.polling import pull_requests
from nalm_server.polling import tasks as reconcile
from nalm_server_harness import Clock
from nalm_server_polled import TURN, Scene, polled

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""What is different of PostgreSQL is held by test_reconcile_requests."""


@pytest.fixture
def scene(make_settings: Callable[..., Settings], clock: Clock, tmp_path: Path) -> Iterator[Scene]:
    with polled(make_settings(outgoing_allow="127.0.0.1"), clock, tmp_path / "forge") as made:
        yield made


def test_a_merge_queue_that_needs_no_job_is_planned_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up: list[object] = []
    real = reconcile.make_up
    monkeypatch.setattr(reconcile, "make_up", lambda *given: (made_up.append(given[2]), real(*given)))
    documents = scene.topic("words", path="docs/words.md")
    scene.repo.push(f"words:refs/heads/gh-readonly-queue/main/pr-9-{scene.base}")
    scene.topic("other")
    scene.repo.push(f"other:refs/heads/gh-readonly-queue/unwatched/pr-8-{scene.base}")
    for _ in range(3):
        scene.turn()
    assert (scene.jobs(), len(made_up), scene.error()) == ([], 1, None)
    shown = scene.service.get(f"/projects/demo/commits/{documents}")
    assert shown["skipped"] == "touches nothing that is measured"


def test_a_forge_that_answers_slowly_has_one_turn_and_is_followed_as_far_as_it_came(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[None] = []
    slow = SimpleNamespace(monotonic=lambda: time.monotonic() + 25 * len(answers))
    monkeypatch.setattr(network, "time", slow)
    scene.connect("github")
    head = scene.topic()
    for number in range(1, 6):
        scene.pull(number, head, base="stable")
    scene.fake.page_size = 1
    scene.fake.before_answers = lambda: answers.append(None)
    scene.turn()
    assert {1, 2} <= set(scene.known()) <= {1, 2, 3}, "what came in time"
    assert "the whole request took longer than 60 s" in (scene.error() or "")
    scene.fake.before_answers = list
    scene.turn()
    assert (scene.error(), set(scene.known())) == (None, {1, 2, 3, 4, 5})


def test_many_changed_requests_are_followed_over_several_turns(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pull_requests.make_up_request

    def laborious(*given: Any, **named: Any) -> None:
        scene.clock.pass_seconds(40)
        real(*given, **named)

    monkeypatch.setattr(pull_requests, "make_up_request", laborious)
    scene.connect("github")
    head = scene.topic()
    for number in range(1, 6):
        scene.pull(number, head, base="stable")
    for known, left in ((2, "3 of 5 that changed wait for the next poll"), (4, "1 of 3 that changed")):
        scene.turn()
        assert (len(scene.known()), left in (scene.error() or "")) == (known, True)
    scene.turn()
    assert (len(scene.known()), scene.error()) == (5, None)


def test_everybodys_branches_go_before_anybodys_pull_requests_which_have_their_turn_all_the_same(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b", "c", "d"):
        body = {"name": name, "repository": "/srv/demo.git"}
        scene.service.post("/projects", "admin", 201, body)
    looks: list[str] = []

    def seen(what: str, answer: Any) -> Callable[..., Any]:
        return lambda _context, project, *_since: looks.append(f"{what} {project.name}") or answer

    monkeypatch.setattr(reconcile, "_reconcile", seen("branches", (scene.clock.now, None)))
    monkeypatch.setattr(pull_requests, "look", seen("requests", None))
    monkeypatch.setattr(reconcile, "BRANCHES_IN_A_ROW", 3)
    scene.clock.pass_seconds(TURN)
    reconcile.drain(scene.service.context)
    assert looks[:3] == ["branches b", "branches c", "branches d"]
    assert looks[3:] == ["requests b", "branches demo", "requests c", "requests d", "requests demo"]


def test_pages_of_a_list_that_have_not_changed_are_not_sent_again(scene: Scene) -> None:
    scene.connect("github")
    head = scene.topic()
    for number in range(1, 6):
        scene.pull(number, head, base="stable")
    scene.fake.page_size = 2
    scene.turn()
    assert (set(scene.known()), scene.fake.not_modified) == ({1, 2, 3, 4, 5}, 0)
    scene.turn()
    assert (set(scene.known()), scene.fake.not_modified, scene.error()) == ({1, 2, 3, 4, 5}, 3, None)
    scene.fake.pulls[5] = scene.fake.pulls[5].ended("closed")
    scene.turn()
    assert (scene.known()[5], scene.fake.not_modified) == ("closed", 5), "the first pages are as they were"
