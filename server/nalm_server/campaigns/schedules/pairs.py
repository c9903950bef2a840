# SPDX-License-Identifier: Apache-2.0
"""What a schedule compares. Reads the repository: never within a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nalm_core.text.commit_name import short

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.campaigns.schedules.schemas import Against
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.graph import GraphCommit, UnknownRevisionError

MOST_EACH = 50
"""Commits that a schedule measures at one time, the newest; a backfill measures older ones."""


@dataclass(frozen=True)
class Nothing:
    """The reason why nothing is measured."""

    why: str
    tip: GraphCommit


@dataclass(frozen=True)
class Compared:
    """A commit, and what it is compared with."""

    head: GraphCommit
    base: str


def find_pairs(
    context: Context, project: ProjectRow, against: str, last: str | None, releases: Sequence[str]
) -> list[Compared] | Nothing:
    """One pair or several, oldest first; the last head is the tip. `last`: the previous tip. `releases`:
    commits, newest first. Raises GraphError and UnknownRevisionError."""
    sha = graph.resolve(context, project, f"refs/heads/{project.default_branch}")
    tip = graph.first_parent(context, project, None, sha, most=1)[0]
    match Against(against):
        case Against.RELEASE:
            base, missing = _release(context, project, sha, releases), "it has no earlier release"
        case Against.PREVIOUS:
            base, missing = _previous(context, project, tip, last), "it has no parent"
        case Against.PARENT:
            base, missing = tip.parent, "it has no parent"
        case Against.EACH:
            base, missing = _previous(context, project, tip, last), "it has no parent"
    if base is None:
        return Nothing(f"{short(sha)} is not measured: {missing}.", tip)
    if base == sha:
        return Nothing(f"Nothing changed: base and head are both {short(sha)}.", tip)
    if against != Against.EACH:
        return [Compared(tip, base)]
    commits = graph.first_parent(context, project, base, sha, most=MOST_EACH)
    return [Compared(one, one.parent) for one in commits if one.parent is not None]


def _release(context: Context, project: ProjectRow, tip: str, releases: Sequence[str]) -> str | None:
    """The newest release that is an ancestor, or the tip itself."""
    for release in releases:
        if release == tip or _shared(context, project, release, tip) == release:
            return release
    return None


def _previous(context: Context, project: ProjectRow, tip: GraphCommit, last: str | None) -> str | None:
    """The previous tip; if a forced push dropped it, the commit where the branch left it."""
    if last is None:
        return tip.parent
    return _shared(context, project, last, tip.sha) or tip.parent


def _shared(context: Context, project: ProjectRow, one: str, tip: str) -> str | None:
    try:
        return graph.merge_base(context, project, one, tip)
    except UnknownRevisionError:
        return None  # dropped, and the forge no longer has it
