# SPDX-License-Identifier: Apache-2.0
"""Reads single files of a commit. A mirror has no files: git fetches the one that is read."""

from __future__ import annotations

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.graph.errors import GraphError
from nalm_server.git.graph.mirror import with_commits


def file_text(context: Context, project: ProjectRow, sha: str, path: str, most_bytes: int) -> str | None:
    """The file's text at the commit; None: the commit has no such file. Raises GraphError."""
    mirror = with_commits(context, project, sha)
    listed = mirror.ask_online("ls-tree", "--full-tree", sha, "--", path)
    if not listed:
        return None
    blob = listed.split("\t", 1)[0].split(" ")[2]
    size = int(mirror.ask_online("cat-file", "-s", blob))
    if size > most_bytes:
        raise GraphError(f"{path} has {size} bytes; at most {most_bytes} are read")
    return mirror.ask_online("cat-file", "blob", blob)
