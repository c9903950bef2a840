# SPDX-License-Identifier: Apache-2.0
"""A project with a real repository and a forge beside it, which a server looks at from time to time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.settings import Settings
from nalm_server.polling import tasks as reconcile
from nalm_server_forge import FakeForge
from nalm_server_git import Repo, copy_repo, serve, serve_any_commit
from nalm_server_harness import Clock, Service, make_service
from nalm_server_pulls import Pull, as_github
from nalm_server_sockets import Loopback, serving
from sqlalchemy import update

TURN = 400
"""Seconds, more than the interval of an untroubled project."""


@dataclass
class Scene:
    service: Service
    clock: Clock
    repo: Repo
    fake: FakeForge
    server: Loopback
    base: str = ""

    def connect(self, kind: str) -> None:
        body = {"name": kind, "kind": kind, "url": self.server.url, "repository": "me/nf", "token": "good"}
        self.service.post("/projects/demo/integrations", "admin", 201, body)
        self.fake.kind = kind

    def turn(self) -> None:
        self.clock.pass_seconds(TURN)
        reconcile.drain(self.service.context)

    def topic(self, name: str = "topic", path: str = "nf.c") -> str:
        """The head of a new branch from the base, as a forge keeps that of a pull request."""
        self.repo.git("checkout", "--quiet", "-b", name, self.base)
        head = self.repo.commit(name, path)
        self.repo.push(f"{name}:refs/heads/{name}")
        return head

    def pull(self, number: int, head: str, **given: Any) -> Pull:
        """Opened now, and nobody was told."""
        self.fake.pulls[number] = made = Pull(number, head, self.base, self.clock.now, **given)
        return made

    def reported(self, pull: Pull, action: str = "opened") -> Any:
        """The webhook, which comes after all."""
        body = {"action": action, "number": pull.number, "pull_request": as_github(pull, alone=True)}
        return self.service.hook(json.dumps(body).encode(), 202, event="pull_request")

    def jobs(self) -> list[tuple[str, str, int | None, str]]:
        shown = ("base_sha", "head_sha", "pull_request", "state")
        listed = sorted(self.service.get("/jobs"), key=lambda job: job["id"])
        return [tuple(job[name] for name in shown) for job in listed]

    def known(self) -> dict[int, str]:
        return {one["number"]: one["state"] for one in self.service.get("/projects/demo/pull-requests")}

    def error(self) -> str | None:
        shown = self.service.request("GET", "/projects/demo/branch-filters", "admin")
        return None if shown["reconcile_error"] is None else str(shown["reconcile_error"])


@contextmanager
def polled(settings: Settings, clock: Clock, folder: Path) -> Iterator[Scene]:
    """A project that was looked at once, so that its history has begun."""
    service = make_service(settings, clock)
    (repo, base), fake = copy_repo(_fill, folder), FakeForge("github")
    with serve(folder) as served, serving(fake) as server:
        with service.context.sessions() as session:
            session.execute(update(ProjectRow).values(repository=f"{served.url}/nf.git"))
            session.commit()
        made = Scene(service, clock, repo, fake, server, base)
        reconcile.drain(service.context)
        yield made
    service.context.engine.dispose()


def _fill(repo: Repo) -> str:
    """The base."""
    serve_any_commit(repo)
    base = repo.commit("base")
    repo.push()
    return base
