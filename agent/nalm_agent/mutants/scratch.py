# SPDX-License-Identifier: Apache-2.0
"""A git repository for the mutants: the NF from its folder, and each mutant as a commit on top.

Names, dates and contents are fixed: the same sources give the same commits, whose builds the store knows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.mutants.read import Patch
from nalm_agent.runtime.errors import GitError, UsageError

LEFT_OUT = ("mutants", "demo")
"""Folders that no measurement needs: the mutants, and what is generated from them."""
_IDENTITY = {
    "GIT_AUTHOR_NAME": "nalm mutants",
    "GIT_AUTHOR_EMAIL": "mutants@example.com",
    "GIT_AUTHOR_DATE": "1767603600 +0000",
    "GIT_COMMITTER_NAME": "nalm mutants",
    "GIT_COMMITTER_EMAIL": "mutants@example.com",
    "GIT_COMMITTER_DATE": "1767603600 +0000",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


@dataclass(frozen=True)
class Change:
    """A mutant as two commits."""

    base: str
    head: str


class Scratch:
    """The repository, made in an empty directory from an NF's folder in a git checkout."""

    def __init__(self, nf: Path, directory: Path, budget_seconds: float | None = None) -> None:
        self.path = directory
        self._env = {
            key: value for key, value in os.environ.items() if not key.startswith("GIT_")
        } | _IDENTITY
        for name in _tracked(nf):
            if Path(name).parts[0] not in LEFT_OUT:
                to = directory / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(nf / name, to)
        if not (directory / FILE_NAME).is_file():
            raise UsageError(f"{nf} has no tracked {FILE_NAME}", hint="name the NF's folder with --nf")
        if budget_seconds is not None:
            self._set("judge", "budget_seconds", f"{budget_seconds:g}")
        self._git("init", "-q", "-b", "main")
        self.base = self._commit("base")

    @property
    def tree(self) -> str:
        """Content address of the base."""
        return self._git("rev-parse", f"{self.base}^{{tree}}")

    def apply(self, patch: Patch) -> Change:
        """The mutant on a base with its lcores. Raises UsageError if it does not apply."""
        self._git("checkout", "-q", "--force", self.base)
        base = self.base
        if patch.lcores is not None:
            self._set(f"scenarios.{patch.scenario}", "lcores", str(patch.lcores))
            base = self._commit(f"{patch.scenario}: {patch.lcores} lcores")
        done = self._run("apply", "--index", "--whitespace=nowarn", "-", stdin=patch.text)
        if done.returncode != 0:
            raise UsageError(
                f"{patch.name} does not apply to the NF as it is now",
                hint="make the change again on today's sources and write the new diff below the header",
                log=done.stderr.decode(errors="replace"),
            )
        return Change(base, self._commit(patch.title))

    def _set(self, table: str, key: str, value: str) -> None:
        path = self.path / FILE_NAME
        path.write_text(with_value(path.read_text(), table, key, value))

    def _commit(self, message: str) -> str:
        self._git("add", "-A", "--force")
        self._git("commit", "-q", "--allow-empty", "-m", message)
        return self._git("rev-parse", "HEAD")

    def _run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", *arguments], cwd=self.path, env=self._env, input=stdin, capture_output=True, check=False
        )

    def _git(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode != 0:
            log = done.stderr.decode(errors="replace")
            raise GitError(f"git {arguments[0]} failed in {self.path}", log=log)
        return done.stdout.decode().strip()


def _tracked(nf: Path) -> list[str]:
    done = subprocess.run(["git", "-C", str(nf), "ls-files", "-z", "."], capture_output=True, check=False)
    if done.returncode != 0:
        raise UsageError(
            f"{nf} is not in a git checkout", hint="call it in a clone of nalm, or name the NF with --nf"
        )
    return [name for name in done.stdout.decode().split("\0") if name]


def with_value(text: str, table: str, key: str, value: str) -> str:
    """TOML text in which `key` of `table` has the value; the table is added if there is none."""
    begin = re.search(rf"^\[{re.escape(table)}\][^\n]*\n", text, re.MULTILINE)
    if begin is None:
        return f"{text.rstrip()}\n\n[{table}]\n{key} = {value}\n"
    end = re.compile(r"^\[", re.MULTILINE).search(text, begin.end())
    body = text[begin.end() : end.start() if end else len(text)]
    body = re.sub(rf"^{re.escape(key)}\s*=[^\n]*\n", "", body, flags=re.MULTILINE)
    return text[: begin.end()] + f"{key} = {value}\n" + body + (text[end.start() :] if end else "")
