# SPDX-License-Identifier: Apache-2.0
"""A clone that pushes commits over HTTP."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gitea_api import GiteaUser

IDENTITY = {
    "GIT_AUTHOR_NAME": "Mona",
    "GIT_AUTHOR_EMAIL": "mona@example.org",
    "GIT_COMMITTER_NAME": "Mona",
    "GIT_COMMITTER_EMAIL": "mona@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
}


@dataclass(frozen=True)
class Clone:
    path: Path

    @classmethod
    def make(cls, path: Path) -> Clone:
        path.mkdir()
        clone = cls(path)
        clone.git("init", "-q", "-b", "main")
        return clone

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=os.environ | IDENTITY,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr}"
        return done.stdout.strip()

    def commit(self, words: str) -> str:
        """Changes the only source file. Returns the new commit."""
        (self.path / "nf.c").write_text(f"/* {words} */\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", words)
        return self.git("rev-parse", "HEAD")

    def push(self, user: GiteaUser, repository: str, *refs: str) -> None:
        scheme, address = user.url.split("://")
        password = user.password.replace("'", "%27").replace(" ", "%20")
        self.git("push", "-q", f"{scheme}://{user.name}:{password}@{address}/{repository}.git", *refs)
