# SPDX-License-Identifier: Apache-2.0
"""Finds the submodules of a tree in this clone. It fetches nothing and only reads the user's repository."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nalm_core.text.commit_name import short

from nalm_agent.runtime.errors import GitError

UPDATE = "git submodule update --init --recursive"
Run = Callable[[Sequence[str], Mapping[str, str] | None], "subprocess.CompletedProcess[str]"]
"""Runs git with arguments and environment."""


@dataclass(frozen=True)
class Submodule:
    path: PurePosixPath
    """Relative to the root of the outermost repository."""
    commit: str
    git_dir: Path


class Submodules:
    """Finds the submodules of a revision, at any depth. `name`: the revision's name in errors; `root`: of the
    working tree, where a submodule may have its repository; None: there is none."""

    def __init__(self, run: Run, name: str, root: Path | None) -> None:
        self._run = run
        self._name = name
        self._root = root

    def found(
        self, git_dir: Path, homes: Sequence[Path], tree: str, inside: PurePosixPath | None = None
    ) -> Iterator[Submodule]:
        """Submodules of a tree, each before its own submodules. `homes`: folders that may hold modules/.

        Raises GitError for a submodule that is not in this clone.
        """
        links = self._links(git_dir, tree)
        names = self._names(git_dir, tree) if links else {}
        for path, commit in links:
            whole = inside / path if inside else PurePosixPath(path)
            name = names.get(path)
            if name is None:
                raise GitError(
                    f"submodule {whole} of {self._name} is not in its .gitmodules",
                    hint="commit a .gitmodules that names it, or remove it with git rm",
                )
            own = [] if self._root is None else [self._root / whole / ".git"]
            candidates = [*(home / "modules" / name for home in homes), *own]
            module = next((one for one in candidates if (one / "HEAD").exists()), None)
            if module is None:
                raise GitError(
                    f"submodule {whole} of {self._name} is not in this clone", hint=f"run `{UPDATE}`"
                )
            if (
                self._run(("cat-file", "-e", f"{commit}^{{commit}}"), {"GIT_DIR": str(module)}).returncode
                != 0
            ):
                raise GitError(
                    f"submodule {whole} of {self._name} lacks commit {short(commit)} in this clone",
                    hint=f"`git -C {whole} fetch origin {commit}` fetches it",
                )
            yield Submodule(whole, commit, module)
            yield from self.found(module, [module], commit, whole)

    def _links(self, git_dir: Path, tree: str) -> list[tuple[str, str]]:
        """Path and commit of each submodule of a tree."""
        done = self._run(("ls-tree", "-r", "-z", tree), {"GIT_DIR": str(git_dir)})
        if done.returncode != 0:
            raise GitError(f"the files of {self._name} cannot be listed", log=done.stderr)
        rows = (entry.partition("\t") for entry in done.stdout.split("\0") if entry.startswith("160000 "))
        return [(path, about.split()[2]) for about, _, path in rows]

    def _names(self, git_dir: Path, tree: str) -> dict[str, str]:
        """Names of submodules by path, without names that lead elsewhere by `..` or `/`."""
        arguments = (
            "config",
            "-z",
            "--blob",
            f"{tree}:.gitmodules",
            "--get-regexp",
            r"^submodule\..*\.path$",
        )
        listed = self._run(arguments, {"GIT_DIR": str(git_dir)}).stdout
        pairs = (entry.partition("\n") for entry in listed.split("\0") if entry)
        found = {path: key.removeprefix("submodule.").removesuffix(".path") for key, _, path in pairs}
        return {path: name for path, name in found.items() if _leads_inside(name)}


def _leads_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")


def require_clean(root: Path, status: str) -> None:
    """Raises GitError for a submodule with uncommitted changes, which cannot be measured.

    status: output of `git status --porcelain=v2 --ignore-submodules=none`.
    """
    found = re.search(r"^1 \S+ S.M. (?:\S+ ){5}(.*)$", status, re.MULTILINE)
    if found is not None:
        raise GitError(
            f"submodule {found[1]} of {root} has changes that are not committed",
            hint="commit or stash them inside the submodule; only its commit is measured",
        )
