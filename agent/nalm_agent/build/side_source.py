# SPDX-License-Identifier: Apache-2.0
"""Source files of a run's two sides: from the store, where builds leave them, otherwise from git, otherwise
the lines in the report itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.source_text import Stretch

from nalm_agent.build.build import SOURCES
from nalm_agent.runtime.errors import GitError
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home

MOST_FILE_BYTES = 2 * 1024 * 1024
"""Larger files are generated, and nobody reads them line by line."""


@dataclass(frozen=True)
class SideSource:
    """Both sides of a run."""

    home: Home
    repository: Repository | None
    """None: the report is read outside a repository."""
    report: RunReport
    trees: Mapping[Arm, str]
    """git's tree of each arm, if known: no commit has the tree of a changed working tree."""

    def text(self, arm: Arm, file: str) -> str | None:
        """A file of an arm's tree; None if the tree has no such file, or no longer exists."""
        build = self.report.arms[arm].build
        tree = self.trees.get(arm)
        if tree is None and not build.dirty:
            tree = self._tree(build.commit)
        if tree is None:
            return None
        stored = self.home.store().directory(SOURCES, tree)
        if stored is not None:
            return read_inside(stored, file)
        return None if build.dirty or not self.repository else self.repository.read_tree(tree, file)

    def held(self, file: str) -> list[Stretch]:
        """The report's lines of a file, for files that neither store nor repository has."""
        text = self.report.source_text
        return next((one.stretches for one in text.files if one.file == file), []) if text else []

    def _tree(self, commit: str) -> str | None:
        if self.repository is None:
            return None
        try:
            return self.repository.resolve(commit).tree
        except GitError:
            return None


def read_inside(folder: Path, file: str) -> str | None:
    """A file's text; None unless the file is in the folder after symbolic links, can be read, and has at most
    MOST_FILE_BYTES. Reports and compilers may name any file."""
    try:
        path = (folder / file).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            return None
        if path.stat().st_size > MOST_FILE_BYTES:
            return None
        return path.read_bytes().decode(errors="replace")
    except (OSError, ValueError):  # a name that is too long, or that no file can have
        return None
