# SPDX-License-Identifier: Apache-2.0
"""What is watched of a project, with the defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from nalm_server.projects.models import ProjectRow
from nalm_server.watches.models import WatchRow

PATHS_IGNORE = ("doc/*", "docs/*", "*.md", "*.rst", "LICENSE*")
"""A commit that touches nothing else costs no measurement. `*` also crosses `/`."""


class PushCommits(StrEnum):
    EACH = "each"
    """Each first-parent commit of a push is compared with its parent."""
    TIP = "tip"
    """A push is one step."""


class ForkPullRequests(StrEnum):
    APPROVE = "approve"
    """Held until a developer approves: building runs what the commit contains."""
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Watching:
    default_branch: str
    branches: tuple[str, ...]
    paths_ignore: tuple[str, ...]
    push_commits: PushCommits
    fork_pull_requests: ForkPullRequests
    measure_tags: bool

    def watches(self, branch: str) -> bool:
        return any(fnmatchcase(branch, pattern) for pattern in self.branches)

    def ignores(self, paths: list[str]) -> bool:
        """True if nothing that is measured can have changed. No path at all is no such promise."""
        return bool(paths) and all(
            any(fnmatchcase(path, pattern) for pattern in self.paths_ignore) for path in paths
        )


def watching(project: ProjectRow, row: WatchRow | None) -> Watching:
    return Watching(
        default_branch=project.default_branch,
        branches=tuple(row.branches) if row and row.branches is not None else (project.default_branch,),
        paths_ignore=tuple(row.paths_ignore) if row and row.paths_ignore is not None else PATHS_IGNORE,
        push_commits=PushCommits(row.push_commits) if row else PushCommits.EACH,
        fork_pull_requests=(ForkPullRequests(row.fork_pull_requests) if row else ForkPullRequests.APPROVE),
        measure_tags=row.measure_tags if row else False,
    )
