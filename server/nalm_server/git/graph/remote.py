# SPDX-License-Identifier: Apache-2.0
"""Reads a repository's refs from the forge, without a fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.graph import git, repository
from nalm_server.git.graph.address import is_sha
from nalm_server.git.graph.errors import GraphError

PEELED = "^{}"
FIRST_SECONDS: Final = 10.0
"""Timeout of the first read of a repository: a person waits for it."""
PRIVATE: Final = ("could not read Username", "Authentication failed", "Permission denied", "error: 403")
"""Parts of git's errors for a repository that may exist but needs a token or key."""


def ls_remote(context: Context, project: ProjectRow, *patterns: str) -> dict[str, str]:
    """SHA by full ref name, for refs that match a pattern; for an annotated tag, that of its commit."""
    described = repository.describe(context, project)
    limits = repository.limits(context, online=True)
    command = ["ls-remote", "--quiet", "--", described.address, *patterns]
    found: dict[str, str] = {}
    for line in git.run(described, limits, command, online=True, mirror=None).splitlines():
        sha, _, name = line.partition("\t")
        if is_sha(sha):  # a peeled tag follows its tag and replaces it
            found[name.removesuffix(PEELED)] = sha
    return found


@dataclass(frozen=True)
class FirstLook:
    branch: str | None
    """The branch of HEAD; None: not known."""
    trouble: str | None = None
    """Why the server needs a token or key to read it; None: it is readable."""


def first_look(address: str, branch: str | None, *, local: bool = False) -> FirstLook:
    """Reads the repository without a credential. branch: one that it must have, if it has any. local: it may
    be a path.

    Raises GraphError if no setting could help: no such host, repository or branch.
    """
    described = git.Repository(project_id=0, address=address, local=local, credential=None)
    limits = git.Limits(seconds=FIRST_SECONDS, bytes=1 << 20)
    command = ["ls-remote", "--quiet", "--symref", "--", address, "HEAD", "refs/heads/*"]
    try:
        listed = git.run(described, limits, command, online=True, mirror=None).splitlines()
    except GraphError as error:
        if any(one in str(error) for one in PRIVATE):
            return FirstLook(None, str(error))
        raise
    head = next(
        (line.split()[1].removeprefix("refs/heads/") for line in listed if line.startswith("ref: ")), None
    )
    if branch is not None and listed and not any(line.endswith(f"\trefs/heads/{branch}") for line in listed):
        hint = f"; its HEAD is {head}" if head else ""
        raise GraphError(f"the repository has no branch {branch}{hint}")
    return FirstLook(head)
