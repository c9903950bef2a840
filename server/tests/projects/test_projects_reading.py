# SPDX-License-Identifier: Apache-2.0
"""A repository that cannot be read is refused when the project is added, or shown with the project."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from nalm_server_harness import Service


class Forge(SimpleHTTPRequestHandler):
    """Files over git's plain protocol; below /private nobody gets anything without a password."""

    def do_GET(self) -> None:
        if not self.path.startswith("/private"):
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Basic realm=forge")
        self.end_headers()

    def log_message(self, *given: Any) -> None:
        pass


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[str]:
    """Address of a server with nf.git, whose branch is trunk."""
    bare = tmp_path / "nf.git"
    identity = {
        f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], check=True, env=environment, capture_output=True)

    git("init", "-q", "-b", "trunk", str(tmp_path / "work"))
    git("-C", str(tmp_path / "work"), "commit", "-q", "--allow-empty", "-m", "first")
    git("clone", "-q", "--bare", str(tmp_path / "work"), str(bare))
    git("-C", str(bare), "update-server-info")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Forge, directory=str(tmp_path)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def add(service: Service, status: int, repository: str, **given: Any) -> Any:
    body = {"name": "nf", "repository": repository, "default_branch": "trunk", "public": True, **given}
    return service.post("/projects", "admin", status, body)


@pytest.mark.parametrize(
    ("path", "branch", "said"),
    [("nope.git", "trunk", "not found"), ("nf.git", "main", "no branch main; its HEAD is trunk")],
)
def test_what_is_not_there_is_an_error_at_the_field(
    service: Service, forge: str, path: str, branch: str, said: str
) -> None:
    error = add(service, 422, f"{forge}/{path}", default_branch=branch)["error"]
    assert error["name"] == "repository_unreadable"
    assert said in error["message"]
    assert [one["path"] for one in error["details"]] == ["$.repository"]
    assert [one["name"] for one in service.get("/projects")] == ["demo"]


def test_what_is_there_is_added_and_nothing_is_said(service: Service, forge: str) -> None:
    add(service, 201, f"{forge}/nf.git")
    assert service.get("/projects/nf")["repository_error"] is None


def test_what_needs_a_token_is_added_and_the_reason_shown(service: Service, forge: str) -> None:
    add(service, 201, f"{forge}/private/nf.git")
    assert "could not read Username" in service.get("/projects/nf")["repository_error"]


def test_what_only_agents_reach_is_added_when_somebody_says_so(service: Service, forge: str) -> None:
    add(service, 201, f"{forge}/nope.git", check_repository=False)
    assert service.get("/projects/nf")["repository_error"] is None
