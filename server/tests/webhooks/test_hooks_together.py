# SPDX-License-Identifier: Apache-2.0
"""Waiting deliveries of one repository are read together and applied one by one, in order."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nalm_server.auth.access import project_repository as projects
from nalm_server.git import graph
from nalm_server.git.graph import Graph, GraphCommit, GraphQueries, UnknownRevisionError, git
from nalm_server.git.refs import service as refs
from nalm_server.webhooks import apply, claims, tasks, together
from nalm_server.webhooks import service as hooks
from nalm_server.webhooks.claims import RETRY
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.repository import HELD
from nalm_server.webhooks.signature import sign
from nalm_server.webhooks.tasks import drain
from nalm_server_deliveries import KilledError
from nalm_server_forked import Forked, forked
from nalm_server_harness import Clock, Service, counted
from sqlalchemy import select


@pytest.fixture
def scene(service: Service, tmp_path: Path) -> Forked:
    return forked(service, tmp_path / "forge")


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Records the name of each git command that the server runs."""
    commands: list[str] = []
    run = git.run

    def counted(repository: Any, limits: Any, arguments: list[str], **given: Any) -> str:
        commands.append(arguments[0])
        return run(repository, limits, arguments, **given)

    monkeypatch.setattr(git, "run", counted)
    yield commands


def store(service: Service, event: str, reported: dict[str, Any]) -> None:
    """Stores a delivery without processing it."""
    body = json.dumps(reported).encode()
    headers = {"x-github-event": event, "x-github-delivery": f"d{next(service.deliveries)}"}
    headers["x-hub-signature-256"] = sign(service.secret, body)
    hooks.take(service.context, FORGES["github"], hooks.Request("demo", headers, body))


def request(
    scene: Forked, number: int, head: str, action: str = "opened", changed_at: str | None = None
) -> None:
    ends = {
        "base": {"ref": "main", "sha": scene.base, "repo": {"id": 1}},
        "head": {"ref": "topic", "sha": head, "repo": {"id": 2}},
    }
    of_it = {"number": number, "updated_at": changed_at, **ends}
    reported = {"action": action, "number": number, "pull_request": of_it}
    store(scene.service, "pull_request", reported)


def push(scene: Forked, before: str, after: str) -> None:
    store(scene.service, "push", {"ref": "refs/heads/main", "before": before, "after": after})


def topics(scene: Forked, name: str, count: int) -> list[str]:
    """Makes branches from the base; main is merged into every third. Returns their heads."""
    heads = []
    for number in range(count):
        scene.repo.git("checkout", "--quiet", "-b", f"{name}{number}", scene.base)
        scene.repo.commit(f"{name} {number}", f"src/{name}{number}.c")
        if number % 3 == 0:
            scene.repo.git("merge", "--quiet", "-m", "again", "main")
        heads.append(scene.repo.git("rev-parse", "HEAD"))
    scene.repo.push(*(f"{name}{number}:refs/pull/{name}{number}/head" for number in range(count)))
    scene.repo.git("checkout", "--quiet", "main")
    return heads


def pairs(service: Service) -> set[tuple[str, str]]:
    return {(job["base_sha"], job["head_sha"]) for job in service.get("/jobs", limit=500)}


def rows(service: Service) -> list[DeliveryRow]:
    with service.context.read_sessions() as session:
        return list(session.scalars(select(DeliveryRow).order_by(DeliveryRow.id)))


@pytest.mark.nightly
def test_git_is_called_as_often_for_many_as_for_few(scene: Forked, requested: list[str]) -> None:
    tip = scene.repo.commit("later", "later.c")
    scene.repo.push()
    counts = []
    for name, count in (("warm", 4), ("few", 4), ("many", 24)):
        line = [tip]
        for number in range(count):
            line.append(scene.repo.commit(f"{name} {number}", f"pushed/{name}{number}.c"))
        scene.repo.push()
        heads = topics(scene, name, count)
        for number, head in enumerate(heads):
            request(scene, 100 * count + number, head)
            push(scene, line[number], line[number + 1])
        requested.clear()
        drain(scene.service.context)
        counts.append(len(requested))
        made = pairs(scene.service)
        assert {(line[number], line[number + 1]) for number in range(count)} <= made
        bases = [scene.repo.git("merge-base", "main", head) for head in heads]
        assert set(zip(bases, heads, strict=True)) <= made
        tip = line[-1]
    assert counts[1] == counts[2], f"{requested} for {2 * 24} deliveries"
    assert {row.status for row in rows(scene.service)} == {"accepted"}


@pytest.mark.nightly
def test_what_is_gathered_is_what_git_says(scene: Forked) -> None:
    """The history has random merges."""
    chance = random.Random(7)
    for name in ("main", "one", "two", "three"):
        if name != "main":
            scene.repo.git("checkout", "--quiet", "-b", name, scene.base)
        scene.repo.commit(name, f"{name}.c")
    for _ in range(40):
        here, there = chance.sample(["main", "one", "two", "three"], 2)
        scene.repo.git("checkout", "--quiet", here)
        if chance.random() < 0.4:
            scene.repo.git("merge", "--quiet", "-m", "merge", there)
        else:
            scene.repo.commit(f"{here} goes on", f"{here}.c")
    scene.repo.git("checkout", "--quiet", "--orphan", "alone")
    scene.repo.commit("of another root", "alone.c")
    names = ["one", "two", "three", "alone", "main"]
    scene.repo.push("main", *(f"{name}:refs/pull/{name}/head" for name in names))
    heads = [scene.repo.git("rev-parse", name) for name in names]
    heads += scene.repo.git("rev-list", "--max-count=12", "one").split()
    main = scene.repo.git("rev-parse", "main")
    with scene.service.context.read_sessions() as session:
        project = projects.get(session, 1)
    line = scene.repo.git("rev-list", "--first-parent", "--max-count=4", "main").split()
    queries = GraphQueries(
        commits=frozenset(heads),
        forks=frozenset(("refs/heads/main", head) for head in heads),
        pushes=frozenset([(line[3], line[0])]),
        changes=frozenset((scene.base, head) for head in heads),
    )
    plain = Graph(scene.service.context, project)
    known = Graph(scene.service.context, project, graph.gather(scene.service.context, project, queries))
    assert known.gathered.failed is None
    assert known.resolve("refs/heads/main") == main
    reported = known.gathered.bases
    assert len(reported) >= 10, "hardly any is left to be asked for alone"
    for head in heads:
        assert known.merge_base(main, head) == plain.merge_base(main, head)
        assert known.first_parent(None, head, most=1) == plain.first_parent(None, head, most=1)
        assert (scene.base, head) in known.gathered.paths
        assert known.changed_paths(scene.base, head) == plain.changed_paths(scene.base, head)
    found: list[GraphCommit] = known.first_parent(line[3], line[0])
    assert found == plain.first_parent(line[3], line[0])
    assert [one.sha for one in found] == line[2::-1]
    with pytest.raises(UnknownRevisionError):
        known.resolve("refs/heads/nowhere")


@pytest.mark.dialects
def test_one_that_nobody_can_fetch_keeps_no_other_waiting(scene: Forked, requested: list[str]) -> None:
    heads = topics(scene, "good", 12)
    for number, head in enumerate([*heads[:6], "f" * 40, *heads[6:]]):
        request(scene, number + 1, head)
    drain(scene.service.context)
    assert [row.status for row in rows(scene.service)] == ["accepted"] * 6 + ["received"] + ["accepted"] * 6
    assert "does not serve commit fffffff" in rows(scene.service)[6].reason
    assert {head for _, head in pairs(scene.service)} == {*heads}
    assert len(requested) < 25, "the others were not fetched one by one"


def test_what_is_about_one_pull_request_keeps_its_order(scene: Forked, clock: Clock) -> None:
    head, other = scene.heads
    request(scene, 7, "f" * 40)
    request(scene, 8, other)
    request(scene, 7, head, "synchronize")
    request(scene, 7, head, "closed")
    drain(scene.service.context)
    clock.pass_seconds(400)
    drain(scene.service.context)
    states = [row.status for row in rows(scene.service)]
    assert states == ["ignored", "accepted", "accepted", "ignored"]
    assert rows(scene.service)[0].reason == "delivery 3 has a newer state of pull request 7"
    shown = {one["number"]: one["state"] for one in scene.service.get("/projects/demo/pull-requests")}
    assert shown == {7: "closed", 8: "open"}
    assert {job["state"] for job in scene.service.get("/jobs") if job["pull_request"] == 7} == {"superseded"}


@pytest.mark.dialects
def test_a_late_delivery_changes_nothing_that_a_later_one_said(scene: Forked, clock: Clock) -> None:
    """Of two workers, the first has claimed the older delivery. The second finishes the newer one first."""
    head, _ = scene.heads
    request(scene, 7, head)
    (late,) = claims.claim(scene.service.context)
    request(scene, 7, head, "closed")
    drain(scene.service.context)
    tasks._work_all(scene.service.context, [late])
    assert [row.status for row in rows(scene.service)] == ["ignored", "ignored"]
    assert scene.service.get("/projects/demo/pull-requests")[0]["state"] == "closed"
    assert scene.service.get("/jobs") == []


@pytest.mark.parametrize("with_another", [False, True], ids=["alone", "in_a_group"])
def test_what_the_forge_delivers_late_changes_nothing(scene: Forked, with_another: bool) -> None:
    head, other = scene.heads
    request(scene, 7, head, "closed", "2026-11-20T12:00:05Z")
    drain(scene.service.context)
    request(scene, 7, head, "synchronize", "2026-11-20T12:00:04Z")
    if with_another:
        request(scene, 8, other, changed_at="2026-11-20T12:00:04Z")
    drain(scene.service.context)
    late = rows(scene.service)[1]
    assert (late.status, late.reason) == (
        "ignored",
        "pull request 7 has changed since: a later event of it was processed before",
    )
    shown = {one["number"]: one["state"] for one in scene.service.get("/projects/demo/pull-requests")}
    assert shown == {7: "closed"} | ({8: "open"} if with_another else {})
    assert {job["pull_request"] for job in scene.service.get("/jobs")} == ({8} if with_another else set())
    request(scene, 7, head, "reopened", "2026-11-20T12:00:05Z")
    drain(scene.service.context)
    assert {7} <= {job["pull_request"] for job in scene.service.get("/jobs")}, "of the same second"


def test_one_of_which_workers_die_takes_no_other_with_it(
    scene: Forked, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = apply.planned

    def dies(context: Any, inputs: Any, event: Any, **named: Any) -> Any:
        if event.number == 2:
            raise KilledError
        return planned(context, inputs, event, **named)

    monkeypatch.setattr(apply, "planned", dies)
    monkeypatch.setattr(claims, "AT_ONCE", 16)
    for number in range(1, 5):
        request(scene, number, scene.heads[0])
    for _ in range(RETRY.tries):
        with pytest.raises(KilledError):
            drain(scene.service.context)
        clock.pass_seconds(HELD.total_seconds() + 1)
    drain(scene.service.context)
    assert [row.status for row in rows(scene.service)] == ["accepted", "failed", "accepted", "accepted"]


@pytest.mark.nightly
@pytest.mark.dialects
def test_statements_do_not_grow_with_the_deliveries_of_a_transaction(scene: Forked) -> None:
    """A group has as many SELECTs as one delivery, and on PostgreSQL as many statements of every kind.
    SQLite, which is in the same process, adds rows one by one: two commits, a job with its transition, a
    pull request."""
    context = scene.service.context
    selects, changes = [], []
    for name, count in (("warm", 2), ("few", 5), ("many", together.AT_ONCE)):
        for number, head in enumerate(topics(scene, name, count)):
            request(scene, 100 * count + number, head)
        with counted(scene.service, "") as statements:
            drain(context)
        selects.append(sum(one.startswith("SELECT") for one in statements))
        changes.append(sum(one.startswith(("INSERT", "UPDATE")) for one in statements))
    assert {row.status for row in rows(scene.service)} == {"accepted"}
    assert selects[1] == selects[2] <= 21
    of_each = 5 if context.engine.dialect.name == "sqlite" else 0
    assert changes[2] <= 10 + of_each * together.AT_ONCE


@pytest.mark.nightly
@pytest.mark.dialects
def test_one_that_fails_in_a_transaction_fails_alone(scene: Forked, monkeypatch: pytest.MonkeyPatch) -> None:
    change = refs._change_pull_request

    def fails(row: Any, event: Any, *given: Any) -> None:
        if event.number == 3:
            raise RuntimeError("of this one only")
        change(row, event, *given)

    monkeypatch.setattr(refs, "_change_pull_request", fails)
    heads = topics(scene, "good", 5)
    for number, head in enumerate(heads, 1):
        request(scene, number, head)
    drain(scene.service.context)
    assert [row.status for row in rows(scene.service)] == [
        "accepted",
        "accepted",
        "received",
        *["accepted"] * 2,
    ]
    assert {head for _, head in pairs(scene.service)} == {*heads} - {heads[2]}
    assert "RuntimeError" in rows(scene.service)[2].reason


def test_who_is_killed_in_a_transaction_has_done_nothing(
    scene: Forked, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = claims.complete

    def dies(*_: object) -> None:
        raise KilledError

    heads = topics(scene, "good", 4)
    for number, head in enumerate(heads, 1):
        request(scene, number, head)
    monkeypatch.setattr(claims, "complete", dies)
    with pytest.raises(KilledError):
        drain(scene.service.context)
    assert {row.status for row in rows(scene.service)} == {"received"}
    assert pairs(scene.service) == set()
    monkeypatch.setattr(claims, "complete", complete)
    clock.pass_seconds(HELD.total_seconds() + 1)
    drain(scene.service.context)
    assert {row.status for row in rows(scene.service)} == {"accepted"}
    assert {head for _, head in pairs(scene.service)} == {*heads}


@pytest.mark.dialects
def test_a_head_that_goes_from_one_pull_request_to_another_stays_measured(scene: Forked) -> None:
    """The order of the two deliveries matters, so they are processed one by one."""
    first, second = scene.heads
    request(scene, 1, first)
    drain(scene.service.context)
    request(scene, 1, second, "synchronize")
    request(scene, 2, first)
    drain(scene.service.context)
    jobs = {job["head_sha"]: (job["pull_request"], job["state"]) for job in scene.service.get("/jobs")}
    assert jobs == {first: (2, "queued"), second: (1, "queued")}


@pytest.mark.nightly
@pytest.mark.dialects
def test_each_of_many_that_move_drops_its_own_jobs_only(scene: Forked) -> None:
    heads = topics(scene, "old", 4)
    for number, head in enumerate(heads, 1):
        request(scene, number, head)
    drain(scene.service.context)
    newer = topics(scene, "new", 2)
    request(scene, 1, newer[0], "synchronize")
    request(scene, 2, heads[1], "closed")
    request(scene, 3, newer[1], "synchronize")
    drain(scene.service.context)
    jobs = {job["head_sha"]: job for job in scene.service.get("/jobs")}
    states = [jobs[head]["state"] for head in (*heads, *newer)]
    assert states == ["superseded", "superseded", "superseded", "queued", "queued", "queued"]
    reported = [
        scene.service.get(f"/jobs/{jobs[head]['id']}")["transitions"][-1]["reason"] for head in heads[:3]
    ]
    assert reported == [
        "pull request 1 was pushed to",
        "pull request 2 was closed",
        "pull request 3 was pushed to",
    ]


def test_a_clock_that_is_put_back_leaves_no_delivery_with_a_worker_that_died(
    scene: Forked, clock: Clock
) -> None:
    clock.pass_seconds(7200)
    request(scene, 7, scene.heads[0])
    assert len(claims.claim(scene.service.context)) == 1
    clock.pass_seconds(-7200)
    drain(scene.service.context)
    assert [row.status for row in rows(scene.service)] == ["accepted"]
