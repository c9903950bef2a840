# SPDX-License-Identifier: Apache-2.0
"""A project's mirror on this host: created on first use, updated if it lacks a commit."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from nalm_core.text.commit_name import short

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.admission import outside
from nalm_server.db.context import Context
from nalm_server.git.graph import git, repository
from nalm_server.git.graph.address import is_sha
from nalm_server.git.graph.errors import AddressError, GraphError, UnknownRevisionError

log = structlog.get_logger()

REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
KEPT = "refs/nalm/"
"""Protects commits that were fetched by SHA from garbage collection: of pull requests, or dropped ones."""
MOST_REFUSED = 8
"""After this many refused commits, the rest of a batch counts as refused, too."""
OTHER_FORMAT = ("mismatched algorithms", "does not support this repository's object format")
"""What git says to a mirror that has not the repository's object format (protocols 2 and 0)."""
LEFT_OUT = re.compile(r"bad (?:revision|object) '?([0-9a-f]{40,64})'? .*did not send all necessary objects")
"""What git says to a fetch without the object of a reference."""
MOST_LEFT_OUT = 20
"""Maximum number of such objects that one update fetches by themselves."""
MOST_PACKS = 50
"""Each fetch adds a pack, and each query looks into all of them: a mirror with more is packed again."""


@dataclass(frozen=True)
class Mirror:
    """A bare repository; queries do not use the network."""

    context: Context
    repository: git.Repository
    path: Path

    def ask(self, *arguments: str, said: str = "") -> str:
        limits = repository.limits(self.context, online=False)
        return git.run(self.repository, limits, [*arguments], online=False, mirror=self.path, said=said)

    def ask_online(self, *arguments: str, said: str = "", lock: int | None = None) -> str:
        limits = repository.limits(self.context, online=True)
        place = self.path
        return git.run(self.repository, limits, [*arguments], online=True, mirror=place, said=said, lock=lock)

    def has(self, sha: str) -> bool:
        try:
            self.ask("cat-file", "-e", f"{sha}^{{commit}}")
        except GraphError:
            return False
        return True

    def update(self, *refs: str, prune: bool, lock: int) -> None:
        """lock: the mirror's. What keeps git from updating a locked mirror is of a git that was killed."""
        options = ["--filter=tree:0", *(["--prune"] if prune else [])]
        try:
            self._fetch_whole(*options, said=refs, lock=lock)
        except GraphError as error:
            if not self._mended() and not self._made_again(error):
                raise
            self._fetch_whole(*options, said=refs, lock=lock)
        self._pack_again(lock)

    def _fetch_whole(self, *options: str, said: Sequence[str], lock: int) -> None:
        """With tags of files and directories, of which git leaves the objects out and then refuses all."""
        for _ in range(MOST_LEFT_OUT):
            try:
                return self._fetch(*options, said=said, lock=lock)
            except GraphError as error:
                if (left_out := LEFT_OUT.search(error.message)) is None:
                    raise
                # Without negotiation: with it, the forge takes the object for one of a known commit.
                self._fetch("--filter=tree:1", said=[left_out[1]], negotiation="noop", lock=lock)
        return self._fetch(*options, said=said, lock=lock)

    def _pack_again(self, lock: int) -> None:
        """Keeps what no reference names: runs of it may be compared again, and the forge may not serve it."""
        if len([*self.path.glob("objects/pack/*.pack")]) <= MOST_PACKS:
            return
        try:
            self.ask_online("repack", "-a", "-d", "--keep-unreachable", "--quiet", lock=lock)
        except GraphError as error:
            log.warning("mirror_not_packed", project=self.repository.project_id, error=error.message)

    def _mended(self) -> bool:
        """Removes git's locks, and references that a loss of power emptied. False if there are none."""
        references = (path for path in (self.path / "refs").rglob("*") if path.is_file())
        found = [*self.path.rglob("*.lock"), *(path for path in references if not path.stat().st_size)]
        for path in found:
            path.unlink(missing_ok=True)
        return found != []

    def _made_again(self, error: GraphError) -> bool:
        """True for the mirror of a repository that was empty, and whose first commit came in another object
        format. Raises AddressError for one with commits: none of them is in the repository any more."""
        if not any(said in error.message for said in OTHER_FORMAT):
            return False
        if self.ask("for-each-ref", "--count=1").strip():
            raise AddressError(
                "The repository's object format (SHA-1 or SHA-256) is another one than before, so all of its "
                "commits have new names: add it as a new project."
            ) from error
        _make(self)
        return True

    def _remove_partial_packs(self) -> None:
        """What killed gits left, by its age: one that still writes would have been killed by now."""
        before = time.time() - repository.limits(self.context, online=True).seconds
        packs = self.path / "objects" / "pack"
        for path in (*packs.glob("tmp_*"), *packs.glob(".tmp-*")):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    path.unlink()

    def fetch_trees(self, shas: Collection[str]) -> None:
        """Fetches the missing trees of commits in the mirror."""
        options = ["--no-walk=unsorted", "--objects", "--no-object-names", "--filter=tree:1"]
        said = "".join(f"{sha}\n" for sha in sorted(shas))
        listed = self.ask("rev-list", *options, "--missing=print", "--stdin", said=said).splitlines()
        absent = [one.removeprefix("?") for one in listed if one.startswith("?")]
        if absent:
            # As git does for a single missing object: without negotiation.
            self._fetch("--filter=blob:none", said=absent, negotiation="noop")

    def _fetch(
        self, *options: str, said: Iterable[str], negotiation: str = "default", lock: int | None = None
    ) -> None:
        always = ["--force", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--quiet"]
        self._remove_partial_packs()
        command = ["-c", f"fetch.negotiationAlgorithm={negotiation}", "fetch", *options, *always]
        self.ask_online(*command, "--stdin", "origin", said="".join(f"{one}\n" for one in said), lock=lock)


def fetch(context: Context, project: ProjectRow) -> None:
    """Updates the mirror's branches and tags. Raises GraphError."""
    mirror = _opened(context, project)
    with _locked(mirror) as lock:
        mirror.update(*REFS, prune=True, lock=lock)


def updated(context: Context, project: ProjectRow) -> Mirror:
    """The mirror after an update. Raises GraphError."""
    fetch(context, project)
    return _opened(context, project)


def fetch_commits(mirror: Mirror, shas: Sequence[str]) -> dict[str, str]:
    """Fetches commits by SHA; returns git's error for each that failed.

    One refused commit fails the whole fetch: then the batch is halved.
    """
    with _locked(mirror) as lock:
        refused: dict[str, str] = {}
        waiting = [list(shas)]
        while waiting:
            some = waiting.pop()
            try:
                mirror.update(*(f"+{sha}:{KEPT}{sha}" for sha in some), prune=False, lock=lock)
            except GraphError as error:
                if len(some) == 1 or len(refused) >= MOST_REFUSED:
                    refused |= dict.fromkeys(some, error.message)
                else:
                    waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
    return refused


def with_commits(context: Context, project: ProjectRow, *shas: str) -> Mirror:
    """The mirror with these commits. Raises GraphError, UnknownRevisionError."""
    mirror = _opened(context, project)
    if missing := [sha for sha in shas if not mirror.has(sha)]:
        with _locked(mirror) as lock:
            _get(mirror, missing, lock)
    return mirror


def opened(context: Context, project: ProjectRow) -> Mirror:
    """The present mirror; a new one is filled first."""
    mirror = _opened(context, project)
    if not mirror.ask("for-each-ref", "--count=1").strip():
        fetch(context, project)
    return mirror


def _get(mirror: Mirror, missing: list[str], lock: int) -> None:
    mirror.update(*REFS, prune=True, lock=lock)
    for sha in missing:
        if mirror.has(sha):
            continue
        try:
            mirror.update(f"+{sha}:{KEPT}{sha}", prune=False, lock=lock)
        except GraphError as error:
            raise UnknownRevisionError(
                f"The repository does not serve commit {short(sha)}: {error}"
            ) from error
        if not mirror.has(sha):
            raise UnknownRevisionError(f"The repository does not serve commit {short(sha)}: it is no commit")


def _opened(context: Context, project: ProjectRow) -> Mirror:
    described = repository.describe(context, project)
    digest = hashlib.sha256(described.address.encode()).hexdigest()[:12]
    root = context.settings.state_dir.resolve() / "mirrors"
    mirror = Mirror(context, described, root / f"{project.id}-{digest}.git")
    if not _usable(mirror):
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(mirror):
            if not _usable(mirror):
                _make(mirror)
    return mirror


def _usable(mirror: Mirror) -> bool:
    """False for no mirror, and for one whose HEAD a loss of power emptied: git takes it for no repository."""
    try:
        return (mirror.path / "HEAD").stat().st_size > 0
    except FileNotFoundError:
        return False


def _make(mirror: Mirror) -> None:
    """Atomic: if the server dies meanwhile, the next call removes what is left."""
    # A SHA-256 repository needs a SHA-256 mirror, and only the remote knows.
    limits = repository.limits(mirror.context, online=True)
    refs = git.run(
        mirror.repository, limits, ["ls-remote", "--", mirror.repository.address], online=True, mirror=None
    )
    name = refs.split("\t", 1)[0]
    kind = "sha256" if is_sha(name) and len(name) == 64 else "sha1"
    partial = mirror.path.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = ["init", "--bare", "--quiet", "--template=", f"--object-format={kind}", str(partial)]
    git.run(mirror.repository, limits, command, online=False, mirror=None)
    shutil.rmtree(mirror.path, ignore_errors=True)
    partial.rename(mirror.path)


@contextmanager
def _locked(mirror: Mirror) -> Iterator[int]:
    """One process and thread writes a mirror at a time; the kernel releases the lock when it and its git have
    ended. Yields the open lock."""
    handle = os.open(mirror.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with outside():
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield handle
    finally:
        os.close(handle)
