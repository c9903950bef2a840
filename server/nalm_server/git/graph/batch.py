# SPDX-License-Identifier: Apache-2.0
"""Answers the queries of many plans at once: one fetch, and a number of git processes that does not grow with
the number of plans."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import structlog
from nalm_core.text.commit_name import short

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git.graph import bases, mirror
from nalm_server.git.graph.address import is_sha
from nalm_server.git.graph.batch_answers import Gathered
from nalm_server.git.graph.errors import GraphError
from nalm_server.git.graph.log import FORMAT, GraphCommit, parse
from nalm_server.git.graph.mirror import Mirror

log = structlog.get_logger()

MOST_COMMITS = 20_000
"""Maximum number of commits over all pushed branches; more are read one by one."""


@dataclass(frozen=True)
class GraphQueries:
    """Queries that plans will send."""

    commits: frozenset[str] = frozenset()
    forks: frozenset[tuple[str, str]] = frozenset()
    """(full branch name, head): the merge base, and the changes since."""
    pushes: frozenset[tuple[str, str]] = frozenset()
    """(start, tip): the commits between them."""
    each: int = 0
    """Pushes of at most this many commits need the changes of each commit; 0: only of all together."""
    changes: frozenset[tuple[str, str]] = frozenset()
    """(old, new)."""

    def shas(self) -> set[str]:
        pairs = self.pushes | self.changes
        return {*self.commits, *(head for _, head in self.forks), *(sha for pair in pairs for sha in pair)}


def gather(context: Context, project: ProjectRow, queries: GraphQueries) -> Gathered:
    """Raises nothing: a missing answer is read, or fails, when a plan needs it."""
    try:
        found = mirror.updated(context, project)
        refs = _refs(found)
        there, missing = _fetched(found, queries.shas())
    except NalmError as error:
        return Gathered(failed=error)
    commits = {one.sha: one for one in there}
    left: dict[tuple[str, str], str | None] = {}
    paths: dict[tuple[str, str], list[str]] = {}
    try:
        commits |= {one.sha: one for one in _between(found, queries.pushes, commits)}
        for branch in sorted({branch for branch, _ in queries.forks}):
            heads = [head for one, head in queries.forks if one == branch and head in commits]
            if tip := refs.get(branch):
                left |= {(tip, head): base for head, base in bases.merge_bases(found, tip, heads).items()}
        changes = {(base, head) for (_, head), base in left.items() if base not in (None, head)}
        paths = _changes(found, _pairs(queries, commits) | {(str(base), head) for base, head in changes})
    except GraphError as error:
        log.warning("git data for deliveries is incomplete", project=project.name, error=error.message)
    return Gathered(None, refs, commits, missing, left, paths)


def _refs(found: Mirror) -> dict[str, str]:
    form = "%(refname) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    refs = {}
    for line in found.ask("for-each-ref", f"--format={form}", "refs/heads", "refs/tags").splitlines():
        name, kind, sha, *peeled = line.split(" ")
        of_tag = peeled[1] if peeled[0] == "commit" else ""
        refs[name] = sha if kind == "commit" else of_tag
    return refs


def _fetched(found: Mirror, shas: Collection[str]) -> tuple[list[GraphCommit], dict[str, str]]:
    """The commits, and those that the repository does not serve."""
    requested = sorted(sha for sha in shas if is_sha(sha))
    there = _commits(found, requested)
    absent = {*requested} - {one.sha for one in there}
    if not absent:
        return there, {}
    said = mirror.fetch_commits(found, sorted(absent))
    there += _commits(found, sorted(absent))
    still = absent - {one.sha for one in there}
    why = "The repository does not serve commit {}: {}"
    return there, {sha: why.format(short(sha), said.get(sha, "it is no commit")) for sha in still}


def _commits(found: Mirror, shas: Iterable[str]) -> list[GraphCommit]:
    """Commits in the mirror."""
    options = ["--no-walk=unsorted", "--ignore-missing", "--missing=allow-any", "--no-commit-header"]
    return parse(found.ask("rev-list", *options, f"--format={FORMAT}", "--stdin", said=_lines(shas)))


def _between(found: Mirror, pushes: Collection[tuple[str, str]], known: Collection[str]) -> list[GraphCommit]:
    pairs = [(start, tip) for start, tip in pushes if start in known and tip in known]
    # A start may be another pair's tip: commits between them are then on the path to the other start.
    tips = {tip for _, tip in pairs}
    said = _lines([*sorted(tips), *sorted(f"^{start}" for start, _ in pairs if start not in tips)])
    if not pairs:
        return []
    options = ["--ignore-missing", "--missing=allow-any", "--no-commit-header", f"--max-count={MOST_COMMITS}"]
    return parse(found.ask("rev-list", *options, f"--format={FORMAT}", "--stdin", said=said))


def _pairs(queries: GraphQueries, commits: dict[str, GraphCommit]) -> set[tuple[str, str]]:
    starts = {start for start, _ in queries.pushes}
    pairs = {pair for pair in queries.changes if set(pair) <= commits.keys()}
    if not queries.each:
        return pairs | {pair for pair in queries.pushes if set(pair) <= commits.keys()}
    for _, tip in queries.pushes:
        line: list[tuple[str, str]] = []
        at = commits.get(tip)
        while at is not None and at.parent is not None and len(line) <= queries.each:
            line.append((at.parent, at.sha))
            at = commits.get(at.parent) if at.parent not in starts else None
        pairs.update(line if len(line) <= queries.each else ())
    return pairs


def _changes(found: Mirror, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """Paths that differ. Fetches the trees, which a mirror lacks, in one go."""
    if not pairs:
        return {}
    ordered = sorted(pairs)
    found.fetch_trees({sha for pair in ordered for sha in pair})
    options = ["--stdin", "--always", "-r", "-z", "--raw", "--no-renames"]
    said = found.ask_online("diff-tree", *options, said=_lines(f"{new} {old}" for old, new in ordered))
    return dict(zip(ordered, _paths(said), strict=True))


def _paths(said: str) -> list[list[str]]:
    """Parses raw diffs: for each commit its name, and for each path a field with a colon and the path."""
    found: list[list[str]] = []
    fields = iter(said.split("\0")[:-1])
    for one in fields:
        if one.startswith(":"):
            found[-1].append(next(fields))
        else:
            found.append([])
    return found


def _lines(said: Iterable[str]) -> str:
    return "".join(f"{one}\n" for one in said)
