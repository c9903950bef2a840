# SPDX-License-Identifier: Apache-2.0
"""Real repositories, and git over HTTP as a forge serves it: git's own http-backend behind a small server."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
BACKEND = "/usr/lib/git-core/git-http-backend"
SETTINGS = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TEMPLATE_DIR": "",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.abbrev",
    "GIT_CONFIG_VALUE_1": "no",
}
"""Only ours; no process that looks whether there is something to clean up."""
COMMITTED = re.compile(r"\[.*? ([0-9a-f]{40,64})\] ")
PASSED_ON = {"CONTENT_TYPE": "Content-Type", "HTTP_CONTENT_ENCODING": "Content-Encoding"}


@dataclass
class Repo:
    """A bare repository, written to through a work tree beside it."""

    path: Path
    work: Path
    seconds: int = 1_790_000_000

    def git(self, *arguments: str) -> str:
        return self._run(self.work, *arguments)

    def bare(self, *arguments: str) -> str:
        return self._run(self.path, *arguments)

    def _run(self, where: Path, *arguments: str) -> str:
        self.seconds += 60
        when = f"{self.seconds} +0000"
        environment = os.environ | {
            **SETTINGS,
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Mona"), ("EMAIL", "mona@example.org"), ("DATE", when))},
        }  # fmt: skip
        done = subprocess.run(
            ["git", "-C", str(where), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str, path: str = "nf.c", text: str | None = None) -> str:
        """Changes one file; the sha. text: its text, or one that no other commit has."""
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{message} {self.seconds}\n" if text is None else text)
        self.git("add", "--", path)
        committed = COMMITTED.match(self.git("commit", "-m", message))
        assert committed is not None
        return committed[1]

    def merge(self, branch: str, commits: int) -> str:
        """Merges a branch of so many commits into the current one; the merge's sha."""
        onto = self.git("branch", "--show-current")
        self.git("checkout", "--quiet", "-b", branch)
        for number in range(commits):
            self.commit(f"{branch} {number}", f"{branch}.c")
        self.git("checkout", "--quiet", onto)
        self.git("merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", branch)
        return self.git("rev-parse", "HEAD")

    def push(self, *refs: str) -> None:
        self.git("push", "--quiet", "--force", str(self.path), *(refs or ("main",)))


def copy_repo(fill: Callable[[Repo], T], home: Path) -> tuple[Repo, T]:
    """A copy of a repository that is filled once, and what the filling returned."""
    if fill not in FILLED:
        folder = tempfile.TemporaryDirectory(prefix="nalm-repo-")
        repo = make_repo(Path(folder.name))
        FILLED[fill] = (folder, repo, fill(repo))
    folder, repo, returned = FILLED[fill]
    shutil.copytree(folder.name, home, dirs_exist_ok=True)
    return Repo(home / repo.path.name, home / repo.work.name, repo.seconds), returned


def make_repo(home: Path, object_format: str = "sha1") -> Repo:
    repo = Repo(home / "nf.git", home / "work")
    for where, bare in ((repo.path, ["--bare"]), (repo.work, [])):
        where.mkdir(parents=True)
        repo._run(where, "init", "--quiet", "-b", "main", f"--object-format={object_format}", *bare)
    return repo


def serve_any_commit(repo: Repo) -> None:
    """As forges do, and without the files where they are not wanted."""
    for option in ("allowFilter", "allowAnySHA1InWant"):
        repo.bare("config", f"uploadpack.{option}", "true")


FILLED: dict[Callable[[Repo], Any], tuple[tempfile.TemporaryDirectory[str], Repo, Any]] = {}
"""Function to the repository that it filled; the folder is removed at the end."""


@dataclass
class Forge:
    """What serves the repositories, and what was asked of it."""

    url: str = ""
    credential: tuple[str, str] | None = None
    """User and password it wants."""
    down: bool = False
    requested: list[str] = field(default_factory=list)


@contextmanager
def serve(root: Path, credential: tuple[str, str] | None = None) -> Iterator[Forge]:
    """Git over HTTP on a free port of the loopback."""
    forge = Forge(credential=credential)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, format: str, *_arguments: object) -> None:
            forge.requested.append(f"{self.command} {self.path}")

        def do_GET(self) -> None:
            if forge.down:
                self.send_error(503)
            elif not self._allowed():
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.end_headers()
            else:
                self._answer()

        do_POST = do_GET  # noqa: N815

        def _allowed(self) -> bool:
            if forge.credential is None:
                return True
            basic = base64.b64encode(":".join(forge.credential).encode()).decode()
            return self.headers.get("Authorization") == f"Basic {basic}"

        def _answer(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_LENGTH": str(len(body)),
                **{name: self.headers.get(header) or "" for name, header in PASSED_ON.items()},
            }
            done = subprocess.run([BACKEND], input=body, env=environment, capture_output=True, check=False)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forge.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield forge
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
