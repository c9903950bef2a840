# SPDX-License-Identifier: Apache-2.0
"""A project's commit graph for plans: gathered answers come from memory, all others from the
repository."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git.graph import history, remote
from nalm_server.git.graph.errors import UnknownRevisionError
from nalm_server.git.graph.log import GraphCommit

REFS = ("refs/heads/", "refs/tags/")


@dataclass(frozen=True)
class Gathered:
    """State of the repository at one moment."""

    failed: NalmError | None = None
    """Why nothing could be gathered: another try would fail as well."""
    refs: Mapping[str, str] | None = None
    """Commits of all branches and tags by full name; "" if a tag is of no commit. None: not read."""
    commits: Mapping[str, GraphCommit] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    """Commits that the repository does not serve, each with its error."""
    bases: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    """By (tip of a branch, head)."""
    paths: Mapping[tuple[str, str], list[str]] = field(default_factory=dict)
    """By (old, new)."""


NOTHING = Gathered()


@dataclass(frozen=True)
class Graph:
    """Each query raises GraphError or UnknownRevisionError, like the function of the same name."""

    context: Context
    project: ProjectRow
    gathered: Gathered = NOTHING
    read_paths: dict[tuple[str, str], list[str]] = field(default_factory=dict, compare=False)
    """Answers of changed_paths, by (old, new)."""

    def resolve(self, ref: str) -> str:
        self._require()
        if self.gathered.refs is None or not ref.startswith(REFS) or self.gathered.refs.get(ref) == "":
            return history.resolve(self.context, self.project, ref)
        if ref not in self.gathered.refs:
            raise UnknownRevisionError(f"The repository has no branch, tag or commit {ref!r}.")
        return self.gathered.refs[ref]

    def merge_base(self, a: str, b: str) -> str | None:
        self._require(a, b)
        if (a, b) in self.gathered.bases:
            return self.gathered.bases[a, b]
        if self._line(a, b) is not None:
            return a
        return history.merge_base(self.context, self.project, a, b)

    def first_parent(
        self, old: str | None, new: str, *, most: int = history.MOST_COMMITS
    ) -> list[GraphCommit]:
        self._require(*(one for one in (old, new) if one is not None))
        if old is None and most == 1 and new in self.gathered.commits:
            return [self.gathered.commits[new]]
        line = self._line(old, new) if old is not None else None
        if line is None:
            return history.first_parent(self.context, self.project, old, new, most=most)
        return line[-most:]

    def changed_paths(self, old: str, new: str) -> list[str]:
        self._require(old, new)
        found = self.gathered.paths.get((old, new))
        if found is None:
            found = history.changed_paths(self.context, self.project, old, new)
        self.read_paths[old, new] = found
        return found

    def tip(self, branch: str) -> str | None:
        """The present tip."""
        self._require()
        ref = f"refs/heads/{branch}"
        return remote.ls_remote(self.context, self.project, ref).get(ref)

    def _require(self, *shas: str) -> None:
        if self.gathered.failed is not None:
            raise self.gathered.failed
        for sha in shas:
            if sha in self.gathered.missing:
                raise UnknownRevisionError(self.gathered.missing[sha])

    def _line(self, old: str, new: str) -> list[GraphCommit] | None:
        """First parents from `new` back to `old`, oldest first. None: `old` is not among the gathered
        commits."""
        found: list[GraphCommit] = []
        at: str | None = new
        while at != old:
            info = self.gathered.commits.get(at) if at is not None else None
            if info is None:
                return None
            found.append(info)
            at = info.parent
        return found[::-1]
