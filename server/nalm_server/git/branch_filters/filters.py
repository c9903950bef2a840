# SPDX-License-Identifier: Apache-2.0
"""A project's branch filters, with defaults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters.models import RepositorySettingsRow

PATHS_IGNORE = ("doc/*", "docs/*", "*.md", "*.rst", "LICENSE*")
"""A commit that changes nothing else is not measured. `*` also crosses `/`."""


class PushCommits(StrEnum):
    EACH = "each"
    """Each first-parent commit of a push is measured against its parent."""
    TIP = "tip"
    """A push is measured as one step."""


class ForkPullRequests(StrEnum):
    APPROVE = "approve"
    """Held until a developer approves: a build runs what the commit contains."""
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class BranchFilters:
    default_branch: str
    branches: tuple[str, ...]
    paths_ignore: tuple[str, ...]
    push_commits: PushCommits
    fork_pull_requests: ForkPullRequests
    measure_tags: bool

    def matches(self, branch: str) -> bool:
        return any(fnmatchcase(branch, pattern) for pattern in self.branches)

    def ignores(self, paths: list[str]) -> bool:
        """True if no measured file can have changed. An empty list is no proof of that."""
        return bool(paths) and all(
            any(fnmatchcase(path, pattern) for pattern in self.paths_ignore) for path in paths
        )


def stricter(rule: ForkPullRequests, most: str | None) -> ForkPullRequests:
    """The stricter one of a project's rule and the operator's limit."""
    order = [ForkPullRequests.NEVER, ForkPullRequests.APPROVE, ForkPullRequests.ALWAYS]
    return min(rule, ForkPullRequests(most or ForkPullRequests.ALWAYS), key=order.index)


def branch_filters_of(
    project: ProjectRow, row: RepositorySettingsRow | None, most_of_forks: str | None = None
) -> BranchFilters:
    """most_of_forks: the setting `fork_pull_requests`."""
    rule = ForkPullRequests(row.fork_pull_requests) if row else ForkPullRequests.APPROVE
    return BranchFilters(
        default_branch=project.default_branch,
        branches=tuple(row.branches) if row and row.branches is not None else (project.default_branch,),
        paths_ignore=tuple(row.paths_ignore) if row and row.paths_ignore is not None else PATHS_IGNORE,
        push_commits=PushCommits(row.push_commits) if row else PushCommits.EACH,
        fork_pull_requests=stricter(rule, most_of_forks),
        measure_tags=row.measure_tags if row else False,
    )
