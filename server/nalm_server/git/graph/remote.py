# SPDX-License-Identifier: Apache-2.0
"""What a repository's refs are now, asked of the forge without fetching anything."""

from __future__ import annotations

from typing import Final

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.graph import git, repository
from nalm_server.git.graph.address import is_sha
from nalm_server.git.graph.errors import GraphError

PEELED = "^{}"
FIRST_SECONDS: Final = 10.0
"""For a repository asked for the first time: somebody waits."""
PRIVATE: Final = ("could not read Username", "Authentication failed", "Permission denied", "error: 403")
"""In what git says of a repository that may be there for who has a token or key."""


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


def first_look(address: str, branch: str) -> str | None:
    """Why the server cannot read the branch at the address, None: it can. Without any credential.

    Raises GraphError where no setting of the project could help: there is no such host, repository or branch.
    """
    described = git.Repository(project_id=0, address=address, local=False, credential=None)
    limits = git.Limits(seconds=FIRST_SECONDS, bytes=1 << 20)
    command = ["ls-remote", "--quiet", "--symref", "--", address, "HEAD", "refs/heads/*"]
    try:
        listed = git.run(described, limits, command, online=True, mirror=None).splitlines()
    except GraphError as error:
        if any(one in str(error) for one in PRIVATE):
            return str(error)
        raise
    if listed and not any(line.endswith(f"\trefs/heads/{branch}") for line in listed):
        head = next(
            (line.split()[1].removeprefix("refs/heads/") for line in listed if line[:5] == "ref: "), None
        )
        hint = f"; its HEAD is {head}" if head else ""
        raise GraphError(f"the repository has no branch {branch}{hint}")
    return None
