# SPDX-License-Identifier: Apache-2.0
"""Queries of the commit graph. Each fetches only if the mirror lacks a given commit."""

from __future__ import annotations

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.graph import mirror
from nalm_server.git.graph.address import is_sha, require_revision
from nalm_server.git.graph.errors import GraphError, NotOfACommitError, UnknownRevisionError
from nalm_server.git.graph.log import FORMAT, GraphCommit, parse
from nalm_server.git.graph.mirror import Mirror

MOST_COMMITS = 100_000
NONE_IN_COMMON = 1
"""git merge-base's exit code when there is no common commit."""
NOTHING_FOUND = 1
"""git rev-parse's exit code when nothing of the kind has this name."""


def first_parent(
    context: Context, project: ProjectRow, old: str | None, new: str, *, most: int = MOST_COMMITS
) -> list[GraphCommit]:
    """Commits after `old` up to `new` along the first parent, oldest first; at most the newest `most`.

    Without `old`, from the root. Needs full SHAs. Raises GraphError, UnknownRevisionError.
    """
    ends = [_sha(one) for one in (new, old) if one is not None]
    found = mirror.with_commits(context, project, *ends)
    span = [new] if old is None else [new, f"^{old}"]
    options = ["--first-parent", "--topo-order", "--reverse", f"--max-count={most}", f"--format={FORMAT}"]
    return parse(found.ask("log", *options, *span, "--"))


def merge_base(context: Context, project: ProjectRow, a: str, b: str) -> str | None:
    """The merge base of two SHAs. None: no common commit. Raises GraphError, UnknownRevisionError."""
    found = mirror.with_commits(context, project, _sha(a), _sha(b))
    try:
        return found.ask("merge-base", a, b).strip()
    except GraphError as error:
        if error.exit_code != NONE_IN_COMMON:
            raise
    return None


def resolve(context: Context, project: ProjectRow, ref: str) -> str:
    """The full SHA of a branch, a tag or a SHA prefix, from the present repository.

    Raises GraphError, UnknownRevisionError, and of these NotOfACommitError for what is there.
    """
    require_revision(ref)
    if is_sha(ref):
        mirror.with_commits(context, project, ref)
        return ref
    mirror.fetch(context, project)
    found = mirror.opened(context, project)
    try:
        return _parsed(found, f"{ref}^{{commit}}")
    except GraphError as error:
        if error.exit_code == NOTHING_FOUND and _is_there(found, ref):
            raise NotOfACommitError(f"{ref!r} is not of a commit.") from error
        raise UnknownRevisionError(f"The repository has no branch, tag or commit {ref!r}.") from error


def _is_there(found: Mirror, ref: str) -> bool:
    try:
        return _parsed(found, ref) != ""
    except GraphError:
        return False


def _parsed(found: Mirror, revision: str) -> str:
    return found.ask("rev-parse", "--verify", "--quiet", "--end-of-options", revision).strip()


def changed_paths(context: Context, project: ProjectRow, old: str, new: str) -> list[str]:
    """Paths that differ between two commits. Fetches their trees, which a mirror lacks."""
    found = mirror.with_commits(context, project, _sha(old), _sha(new))
    said = found.ask_online("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new, "--")
    return [path for path in said.split("\0") if path]


def _sha(revision: str) -> str:
    if not is_sha(revision):
        raise UnknownRevisionError(f"{revision[:80]!r} is no whole sha.")
    return revision
