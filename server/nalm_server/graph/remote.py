# SPDX-License-Identifier: Apache-2.0
"""What a repository's refs are now, asked of the forge without fetching anything."""

from __future__ import annotations

from nalm_server.context import Context
from nalm_server.graph import git, repository
from nalm_server.graph.address import is_sha
from nalm_server.projects.models import ProjectRow

PEELED = "^{}"


def ls_remote(context: Context, project: ProjectRow, *patterns: str) -> dict[str, str]:
    """Sha by full name of the ref, for refs that fit a pattern. An annotated tag's is its commit's."""
    described = repository.describe(context, project)
    limits = repository.limits(context, online=True)
    command = ["ls-remote", "--quiet", "--", described.address, *patterns]
    found: dict[str, str] = {}
    for line in git.run(described, limits, command, online=True, mirror=None).splitlines():
        sha, _, name = line.partition("\t")
        if is_sha(sha):  # a peeled tag comes after the tag, and replaces it
            found[name.removesuffix(PEELED)] = sha
    return found
