# SPDX-License-Identifier: Apache-2.0
"""Events at a real Gitea, and nalm's messages there, read through Gitea's own API."""

from __future__ import annotations

from fake_agent import SLOWER
from nalm_server_waiting import until
from scene import Scene


def test_pull_request_from_opening_to_merge(scene: Scene) -> None:
    scene.clone.git("switch", "-q", "-c", "topic")
    slow = scene.clone.commit("slower")
    scene.push("topic")
    number = scene.open_pull_request("topic")
    job = scene.job(slow)
    assert (job["base_sha"], job["pull_request"], job["state"]) == (scene.first, number, "queued")
    assert scene.status(slow, "pending")["description"] == "queued"
    assert scene.comments(number) == []

    run = scene.agent.report(scene.agent.lease(), **SLOWER)
    failed = scene.status(slow, "failure")
    assert failed["description"].startswith("regressed +") and " in nat" in failed["description"]
    assert failed["target_url"] == f"{scene.nalm.url}/p/{scene.name}/runs/{run}"
    [comment] = until(lambda: scene.comments(number), "the comment")
    assert comment["user"]["login"] == scene.bot.name
    assert "regressed" in comment["body"] and failed["target_url"] in comment["body"]

    mended = scene.clone.commit("as fast as before")
    scene.push("topic")
    assert scene.job(mended)["base_sha"] == scene.first
    scene.status(mended, "pending")
    run = scene.agent.report(scene.agent.lease())
    passed = scene.status(mended, "success")
    assert passed["description"].startswith("same") and passed["target_url"].endswith(run)
    scene.reported_all()
    [edited] = scene.comments(number)
    assert edited["id"] == comment["id"] and edited["body"] != comment["body"]
    assert run in edited["body"] and "regressed" not in edited["body"]

    scene.mona.call("POST", f"{scene.api}/pulls/{number}/merge", {"Do": "merge"})
    merged = scene.mona.call("GET", f"{scene.api}/pulls/{number}")["merge_commit_sha"]
    job = scene.job(merged)
    assert (job["base_sha"], job["reason"], job["pull_request"]) == (scene.first, "push", None)
    scene.status(merged, "pending")
    scene.agent.report(scene.agent.lease())
    scene.status(merged, "success")
    [known] = scene.nalm.call("GET", f"/projects/{scene.name}/pull-requests")
    assert (known["number"], known["state"], known["author"]) == (number, "merged", scene.mona.name)
    assert len(scene.comments(number)) == 1


def test_fork_waits_for_approval(scene: Scene) -> None:
    stranger = scene.admin.make_user("stranger")
    scene.mona.call("PUT", f"{scene.api}/collaborators/{stranger.name}", {"permission": "read"})
    stranger.call("POST", f"{scene.api}/forks", {})
    scene.clone.git("switch", "-q", "-c", "gift")
    gift = scene.clone.commit("a gift")
    scene.clone.push(stranger, f"{stranger.name}/{scene.name}", "gift")
    scene.open_pull_request(f"{stranger.name}:gift", stranger)
    job = scene.job(gift)
    assert "comes from a fork" in job["held"]
    assert "a developer must approve it" in scene.status(gift, "pending")["description"]
    scene.nalm.call("POST", f"/jobs/{job['id']}/approve", {})
    until(lambda: scene.statuses(gift)[0]["description"] == "queued", "status queued")
    scene.agent.report(scene.agent.lease())
    scene.status(gift, "success")


def test_what_a_reader_pushes_to_refs_for_waits_for_approval(scene: Scene) -> None:
    stranger = scene.admin.make_user("reader")
    scene.mona.call("PUT", f"{scene.api}/collaborators/{stranger.name}", {"permission": "read"})
    scene.clone.git("switch", "-q", "-c", "agit")
    gift = scene.clone.commit("pushed by a reader")
    scene.clone.push(stranger, scene.repository, "-o", "topic=agit", "agit:refs/for/main")
    job = scene.job(gift)
    assert job["fork"] == f"refs/pull/{job['pull_request']}/head"
    assert "a developer must approve it" in job["held"]
    state = {"state": "closed"}
    scene.mona.call("PATCH", f"{scene.api}/pulls/{job['pull_request']}", state)
    until(lambda: scene.job(gift)["state"] == "superseded", "closed")
    scene.mona.call("PATCH", f"{scene.api}/pulls/{job['pull_request']}", {"state": "open"})
    until(lambda: scene.job(gift)["state"] == "queued", "reopened")
    assert "a developer must approve it" in scene.job(gift)["held"]


def test_tags_are_releases(scene: Scene) -> None:
    scene.clone.git("tag", "-a", "v1.0", "-m", "first release")
    scene.clone.git("tag", "v1.1")
    scene.push("v1.0", "v1.1")
    until(lambda: scene.refs("tags") == {"v1.0": scene.first, "v1.1": scene.first}, "both tags")
    scene.push(":refs/tags/v1.1")
    until(lambda: scene.refs("tags") == {"v1.0": scene.first}, "one tag")


def test_forced_push_drops_what_waited(scene: Scene) -> None:
    dropped = scene.clone.commit("a mistake")
    scene.push("main")
    scene.job(dropped)
    scene.clone.git("reset", "-q", "--hard", scene.first)
    kept = scene.clone.commit("what was meant")
    scene.push("--force", "main")
    assert scene.job(kept)["base_sha"] == scene.first
    until(lambda: scene.job(dropped)["state"] == "superseded", "what was dropped is superseded")
    assert "something newer" in scene.status(dropped, "warning")["description"]
    assert scene.agent.lease()["head_sha"] == kept


def test_branches_come_and_go(scene: Scene) -> None:
    scene.nalm.call("PUT", f"/projects/{scene.name}/branch-filters", {"branches": ["main", "release/*"]})
    later = scene.clone.commit("on a branch")
    scene.push("main:refs/heads/release/1", "main:refs/heads/release/2", "main:refs/heads/other")
    assert scene.job(later)["base_sha"] == scene.first
    until(lambda: set(scene.refs("branches")) >= {"release/1", "release/2"}, "both branches")
    scene.push(":refs/heads/release/1")
    until(lambda: "release/1" not in scene.refs("branches"), "a branch deleted by git")
    scene.mona.call("DELETE", f"{scene.api}/branches/release%2F2")
    until(lambda: "release/2" not in scene.refs("branches"), "a branch deleted at Gitea")
    assert "other" not in scene.refs("branches")
    assert len(scene.jobs(later)) == 1


def test_redelivery_makes_no_second_job(scene: Scene) -> None:
    """Gitea gives a redelivery an id of its own: nalm accepts it as a new one, and it changes nothing."""
    one = scene.clone.commit("one")
    scene.push("main")
    job = scene.job(one)
    reported = scene.delivery(lambda delivery: delivery["job_ids"] == [job["id"]])
    scene.agent.report(scene.agent.lease())
    two = scene.clone.commit("two")
    scene.push("main")
    scene.job(two)
    scene.status(one, "success")
    scene.reported_all()
    before = scene.statuses(one)
    scene.mona.replay(scene.repository, scene.hook, reported["delivery"])
    again = scene.delivery(
        lambda delivery: delivery["id"] > reported["id"] and delivery["job_ids"] == [job["id"]]
    )
    assert again["delivery"] != reported["delivery"]
    assert scene.job(one)["state"] == "done" and scene.job(two)["state"] == "queued"
    assert scene.refs("branches") == {"main": two}
    scene.reported_all()
    assert scene.statuses(one) == before
