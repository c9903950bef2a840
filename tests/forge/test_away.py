# SPDX-License-Identifier: Apache-2.0
"""One of the two is away while the other continues; afterwards both have every event, once."""

from __future__ import annotations

from fake_agent import SLOWER
from nalm_server_waiting import until
from scene import Scene

BREATH_AND_MORE_SECONDS = 180
"""A forge that was unreachable is not called for half a minute, then at growing intervals."""


def test_gitea_is_notified_when_it_is_back(scene: Scene) -> None:
    scene.clone.git("switch", "-q", "-c", "topic")
    slow = scene.clone.commit("slower")
    scene.push("topic")
    number = scene.open_pull_request("topic")
    scene.status(slow, "pending")
    scene.reported_all()
    scene.gitea.stop()
    try:
        scene.agent.report(scene.agent.lease(), **SLOWER)
        until(lambda: any(one["last_error"] for one in scene.notifications()), "a try in vain")
        assert {one["kind"] for one in scene.notifications() if one["state"] == "waiting"} >= {"comment"}
    finally:
        scene.gitea.start()
    until(
        lambda: {one["state"] for one in scene.notifications()} == {"sent"},
        "all told",
        patience_seconds=BREATH_AND_MORE_SECONDS,
    )
    assert [one["status"] for one in scene.statuses(slow)] == ["failure", "pending"]
    [comment] = scene.comments(number)
    assert "regressed" in comment["body"]


def test_what_was_pushed_while_nalm_was_down_is_found(scene: Scene) -> None:
    scene.clone.git("switch", "-q", "-c", "topic")
    early = scene.clone.commit("early")
    scene.push("topic")
    number = scene.open_pull_request("topic")
    scene.job(early)
    scene.look_again(None)
    taken = len(scene.deliveries())
    scene.nalm.kill()
    head = scene.clone.commit("late")
    scene.clone.git("switch", "-q", "main")
    missed = scene.clone.commit("missed")
    scene.clone.git("tag", "v2")
    scene.push("topic", "main", "v2")
    scene.nalm.start(reconcile_seconds=1)
    try:
        assert scene.job(missed)["base_sha"] == scene.first
        job = scene.job(head)
        assert (job["base_sha"], job["pull_request"]) == (scene.first, number)
        until(lambda: scene.refs("tags") == {"v2": missed}, "the tag")
        until(lambda: scene.job(early)["state"] == "superseded", "the head before is superseded")
        assert len(scene.deliveries()) == taken
        scene.status(missed, "pending")
        scene.status(head, "pending")
    finally:
        scene.nalm.kill()
        scene.nalm.start()


def test_pull_requests_of_a_cut_webhook_are_found(scene: Scene) -> None:
    scene.clone.git("switch", "-q", "-c", "given-up")
    early = scene.clone.commit("early")
    scene.push("given-up")
    ended = scene.open_pull_request("given-up")
    scene.job(early)
    looked = scene.look_again(None)
    try:
        scene.mona.call("PATCH", f"{scene.api}/hooks/{scene.hook}", {"active": False})
        taken = len(scene.deliveries())
        scene.clone.git("switch", "-q", "-c", "topic", scene.first)
        head = scene.clone.commit("of which nobody tells")
        scene.push("topic")
        opened = scene.open_pull_request("topic")
        scene.mona.call("PATCH", f"{scene.api}/pulls/{ended}", {"state": "closed"})
        looked = scene.look_again(looked)
        job = scene.job(head)
        assert (job["base_sha"], job["pull_request"]) == (scene.first, opened)
        until(lambda: scene.job(early)["state"] == "superseded", "what was closed is not measured")
        assert scene.agent.lease()["head_sha"] == head
        scene.look_again(looked)
        assert scene.job(head)["id"] == job["id"], "another look makes no other job"
        assert len(scene.deliveries()) == taken
    finally:
        scene.nalm.kill()
        scene.nalm.start()
