# SPDX-License-Identifier: Apache-2.0
"""A branch or tag that cannot be planned does not keep the rest of its project from being polled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nalm_server.base.errors import NotFoundError
from nalm_server.base.settings import Settings
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.events import TagPushed
from nalm_server.polling import setup
from nalm_server.polling import tasks as reconcile
from nalm_server_harness import Clock
from nalm_server_polled import Scene, polled
from sqlalchemy import select

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""What is different of PostgreSQL is held by test_reconcile_requests."""


@pytest.fixture
def scene(make_settings: Callable[..., Settings], clock: Clock, tmp_path: Path) -> Iterator[Scene]:
    with polled(make_settings(outgoing_allow="127.0.0.1"), clock, tmp_path / "forge") as made:
        yield made


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Events that polls process."""
    events: list[object] = []
    real = reconcile.make_up
    monkeypatch.setattr(reconcile, "make_up", lambda *given: (events.append(given[2]), real(*given)))
    return events


def tags(scene: Scene) -> set[str]:
    return {one["name"] for one in scene.service.get("/projects/demo/tags")}


def failures(scene: Scene) -> int:
    with scene.service.context.read_sessions() as session:
        return session.scalars(select(RepositorySettingsRow.reconcile_failures)).one()


def test_tags_of_a_file_are_processed_once(scene: Scene, made_up: list[object]) -> None:
    scene.connect("github")
    pull = scene.pull(1, scene.topic())
    scene.repo.git("tag", "a", f"{scene.base}:nf.c")
    scene.repo.git("tag", "-a", "-m", "key", "b", f"{scene.base}:nf.c")
    scene.repo.git("tag", "v1", scene.base)
    scene.repo.push("a", "b", "v1")
    for _ in range(3):
        scene.turn()
        assert (scene.error(), failures(scene)) == (None, 0)
    assert {"v1"} <= tags(scene)
    assert len(made_up) == 3
    assert scene.jobs() == [(scene.base, pull.head, 1, "queued")]


def test_webhook_of_an_annotated_tag_of_a_file_makes_one_more_event(
    scene: Scene, made_up: list[object]
) -> None:
    scene.repo.git("tag", "-a", "-m", "key", "b", f"{scene.base}:nf.c")
    scene.repo.push("b")
    sha = scene.repo.git("rev-parse", "b")
    body = {"ref": "refs/tags/b", "before": "0" * 40, "after": sha}
    answer = scene.service.hook(json.dumps(body).encode(), 202)
    assert (answer["became"], answer["why"]) == ("ignored", "tag b is not of a commit")
    for _ in range(3):
        scene.turn()
    assert (len(made_up), scene.error()) == (1, None)


@pytest.mark.nightly
def test_a_change_without_a_plan_does_not_hide_the_others_and_is_reported(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = reconcile.make_up

    def partly(*given: Any) -> None:
        if isinstance(given[2], TagPushed) and given[2].tag.startswith("bad"):
            raise NotFoundError(f"no plan for {given[2].tag}")
        real(*given)

    monkeypatch.setattr(reconcile, "make_up", partly)
    scene.connect("github")
    pull = scene.pull(1, scene.topic())
    for name in ("bad-1", "bad-2", "v1"):
        scene.repo.git("tag", name, scene.base)
    scene.repo.push("bad-1", "bad-2", "v1")
    for _ in range(2):
        scene.turn()
        error = scene.error() or ""
        assert error.startswith("changes: no plan for bad-") and error.endswith(" (and 1 more)")
        assert failures(scene) == 0
    (problem, *_) = scene.service.get("/projects/demo")["problems"]
    assert problem["message"].startswith("Not all of the repository's changes could be processed: changes: ")
    assert tags(scene) == {"v1"}
    assert scene.jobs() == [(scene.base, pull.head, 1, "queued")]
    with scene.service.context.read_sessions() as session:
        shown = session.scalars(select(RepositorySettingsRow.configuration_error)).one()
    assert shown is not None and shown.startswith("There is no nalm.toml at main")
    monkeypatch.setattr(reconcile, "make_up", real)
    scene.turn()
    assert (scene.error(), tags(scene)) == (None, {"bad-1", "bad-2", "v1"})


def test_a_configuration_that_could_not_be_read_is_read_at_the_next_poll(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def configuration_error() -> str | None:
        with scene.service.context.read_sessions() as session:
            return session.scalars(select(RepositorySettingsRow.configuration_error)).one()

    def away(*_: Any) -> None:
        reads.append(1)
        raise NotFoundError("the repository's copy is gone")

    assert (configuration_error() or "").startswith("There is no nalm.toml at main")
    reads: list[int] = []
    scene.repo.git("checkout", "--quiet", "main")
    scene.repo.commit("another", "nf.c")
    scene.repo.push("main")
    with monkeypatch.context() as patch:
        patch.setattr(setup.graph, "file_text", away)
        scene.turn()
        assert (len(reads), configuration_error(), scene.error()) == (1, None, None)
    scene.turn()
    assert (configuration_error() or "").startswith("There is no nalm.toml at main")
