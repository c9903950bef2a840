# SPDX-License-Identifier: Apache-2.0
"""What keeps a project's commits from being measured is said with the project, with the next step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.settings import Settings
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server_harness import Clock, Service
from nalm_server_polled import Scene, polled
from nalm_server_reports import body_of, make_report
from sqlalchemy import update

NO_HOST = "No host measures the commits: pool default has no host"
SOUND = '[project]\nname = "nf"\n[build]\n[run]\n[scenarios.sfc]\n'


@pytest.fixture
def scene(make_settings: Callable[..., Settings], clock: Clock, tmp_path: Path) -> Iterator[Scene]:
    with polled(make_settings(outgoing_allow="127.0.0.1"), clock, tmp_path / "forge") as made:
        yield made


def problems(service: Service) -> list[tuple[str, str]]:
    """(kind, message) of the demo's."""
    (listed,) = [one for one in service.get("/projects") if one["name"] == "demo"]
    assert listed["problems"] == service.get("/projects/demo")["problems"]
    assert all(one["advice"].endswith(".") for one in listed["problems"])
    return [(one["kind"], one["message"]) for one in listed["problems"]]


def of_repository(scene: Scene) -> list[tuple[str, str]]:
    return [one for one in problems(scene.service) if one[0] not in ("hosts", "job")]


def push(scene: Scene, text: str) -> str:
    sha = scene.repo.commit("configure", "nalm.toml", text)
    scene.repo.push()
    scene.turn()
    return sha[:7]


def test_a_missing_and_a_wrong_nalm_toml_are_said_until_they_are_mended(scene: Scene) -> None:
    base = scene.base[:7]
    assert of_repository(scene) == [("configuration", f"There is no nalm.toml at main ({base}).")]
    sha = push(scene, "[project\n")
    ((kind, message),) = of_repository(scene)
    assert kind == "configuration"
    assert message.startswith(f"nalm.toml at main ({sha}) is wrong: it is not valid TOML: ")
    sha = push(scene, '[project]\nname = "nf"\n')
    wrong = f"nalm.toml at main ({sha}) is wrong: it has no table [build]."
    assert of_repository(scene) == [("configuration", wrong)]
    push(scene, SOUND)
    assert of_repository(scene) == []


def test_a_configuration_on_the_server_takes_the_place_of_a_missing_one(scene: Scene) -> None:
    scene.service.request("PUT", "/projects/demo/configuration", "admin", json={"text": SOUND})
    assert of_repository(scene) == []
    scene.service.request("PUT", "/projects/demo/configuration", "admin", json={"text": None})
    assert [kind for kind, _ in of_repository(scene)] == ["configuration"]


@pytest.mark.nightly
def test_a_default_branch_that_disappears_is_said_and_forgotten_when_it_is_back(scene: Scene) -> None:
    push(scene, SOUND)
    scene.repo.push("main:refs/heads/trunk")
    scene.repo.bare("update-ref", "-d", "refs/heads/main")
    scene.turn()
    gone = "The repository has no branch main; its branch is trunk."
    assert of_repository(scene) == [("branch", gone)]
    assert scene.error() is None, "the repository itself can be read, and as often as ever"
    scene.repo.push()
    scene.turn()
    assert of_repository(scene) == []


def test_a_repository_that_cannot_be_read_any_more_is_said(scene: Scene) -> None:
    scene.repo.path.rename(scene.repo.path.with_suffix(".moved"))
    scene.turn()
    ((kind, message),) = of_repository(scene)
    assert (kind, message.split(": ")[0]) == ("repository", "The repository cannot be read")


def test_a_path_that_cannot_be_read_is_advised_on_as_one(scene: Scene) -> None:
    with scene.service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository="/home/me/nf.git"))
        session.execute(update(RepositorySettingsRow).values(reconcile_error="git fetch: no such repository"))
        session.commit()
    first = scene.service.get("/projects/demo")["problems"][0]
    assert first["message"] == "The repository cannot be read: git fetch: no such repository"
    assert "nothing below /home, /root and /run/user" in first["advice"]


def test_hosts_that_are_missing_or_do_not_fit_are_said_while_a_job_waits(scene: Scene) -> None:
    service = scene.service
    assert problems(service)[-1][1].startswith(NO_HOST)
    service.lease(204)
    assert [kind for kind, _ in problems(service)] == ["configuration"], "it is there, and nothing waits"
    push(scene, SOUND)
    assert problems(service) == [("hosts", waiting("bench-1 is offline (silent since "))]
    lease = service.lease()
    assert problems(service) == []
    fail(service, lease, "the build failed: 2\nhint: see the log")
    failed = [one for one in service.get("/projects/demo")["problems"] if one["kind"] == "job"]
    assert [(one["message"], one["job_id"]) for one in failed] == [
        ("The last measurement failed: the build failed: 2", lease["job_id"])
    ]


def fail(service: Service, lease: dict[str, Any], why: str) -> None:
    end = {"fence": lease["fence"], "outcome": "failed", "message": why}
    service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, end)


@pytest.mark.nightly
def test_a_wrong_key_is_said_with_its_line_until_a_commit_is_measured(scene: Scene) -> None:
    service = scene.service
    sha = push(scene, SOUND)
    lease = service.lease()
    why = "build.comand is not a known key; expected one of commands, paths"
    fail(service, lease, f"nalm.toml:3: {why}\nnext: nothing was run; docs/nalm-toml.md describes every key")
    found = service.get("/projects/demo")["problems"]
    assert [(one["kind"], one["message"], one["advice"], one["job_id"]) for one in found] == [
        (
            "configuration",
            f"nalm.toml at {sha} is wrong in line 3: {why}",
            "Correct line 3, check it with `nalm config`, commit it and push.",
            lease["job_id"],
        )
    ]
    push(scene, SOUND + "\n")
    lease = service.lease()
    report = make_report(1, head=lease["head_sha"], base=lease["base_sha"])
    service.upload(body_of(report), token="agent", job_id=lease["job_id"], fence=lease["fence"])
    done = {"fence": lease["fence"], "outcome": "done"}
    service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, done)
    assert problems(service) == []


def test_a_wrong_key_of_the_configuration_on_the_server_is_said_where_it_is(scene: Scene) -> None:
    service = scene.service
    service.request("PUT", "/projects/demo/configuration", "admin", json={"text": SOUND})
    push(scene, "")
    host = {"host": "bench-1", "host_class": "vm-2", "capabilities": {"configurations": True}}
    lease = service.post("/agent/lease", "agent", 200, host)
    fail(service, lease, "configuration of demo:2: project.nam is not a known key")
    ((kind, message),) = problems(service)
    assert kind == "configuration"
    assert message == "nalm.toml in the project's settings is wrong in line 2: project.nam is not a known key"


def waiting(start: str) -> Any:
    return Beginning(
        f"No host measures the commits: no host of pool default that could take it is available: {start}"
    )


class Beginning(str):
    """Equals every text that begins so."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.startswith(str(self))

    __hash__ = str.__hash__
