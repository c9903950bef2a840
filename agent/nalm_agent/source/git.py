# SPDX-License-Identifier: Apache-2.0
"""Reads a repository without changing it: revisions, trees, and exports of a tree into a directory.

A working tree becomes a git tree object through a separate index and object directory, so that neither the
user's index nor the repository changes. An export has no `.git`: a build cannot depend on the commit's name,
and equal sources build to equal bytes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from nalm_core.text.commit_name import short
from nalm_core.text.plain_text import plain_line

from nalm_agent.runtime.errors import GitError, HostError
from nalm_agent.source.given_config import GivenConfig
from nalm_agent.source.submodules import Submodules, require_clean

WORKTREE = "worktree"
SILENCE_ENDS = ("http.lowSpeedLimit=1000", "http.lowSpeedTime=60")
"""Settings by which git gives up on a server that accepts a connection and sends nothing."""
LEAST_GIT = (2, 30)
"""The first version whose `git rev-parse` knows --end-of-options."""


@dataclass(frozen=True)
class Revision:
    """A tree to build, and its commit."""

    commit: str
    """Full SHA; for a working tree, the commit that it is based on."""
    tree: str
    subject: str
    dirty: bool = False
    """True if the tree is a working tree that differs from the commit's."""
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """Untracked repositories inside of the working tree: git has no content of them to measure."""

    @property
    def note(self) -> str | None:
        """A note about what the tree lacks; None if it has all."""
        if not self.left_out:
            return None
        listed = ", ".join(self.left_out)
        return f"left out, since git does not track it and it is a repository of its own: {listed}"

    @property
    def short(self) -> str:
        return short(self.commit) + ("+changes" if self.dirty else "")


@dataclass(frozen=True)
class BaseChoice:
    revision: Revision
    why: str
    """How the base was chosen, for output: "merge base with main"."""


_SETTINGS = [
    word for one in ("core.quotePath=false", "log.showSignature=false", *SILENCE_ENDS) for word in ("-c", one)
]
"""For every call. Some may fetch: a partial clone fetches what it lacks."""
_OF_INDEX = ["-c", "core.splitIndex=false", "-c", f"core.hooksPath={os.devnull}"]
"""For calls that write nalm's own index: no part of it goes to the repository, and no hook of it runs."""
_ROOT = "."
_LINK = "120000 "
"""Begins the entry of a symbolic link in a tree."""
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ANCESTOR = re.compile(r"[~^][~^0-9]*+$")


def _inside(path: str) -> str:
    """A path below the root as git writes it; `_ROOT` for the root."""
    return str(PurePosixPath(path.lstrip("/")))


def are_whole(paths: Sequence[str]) -> bool:
    """True if paths of a repository name its root."""
    return any(_inside(path) == _ROOT for path in paths)


def fetch_hint(name: str) -> str:
    """A hint how to fetch this name into a shallow clone. Only refs and full SHAs can be fetched by name; a
    ref has its name here only if the command gives it one."""
    if not any(sign in name for sign in "~^:@"):
        branch = name.removeprefix("origin/")
        here = "" if _SHA.fullmatch(name) else f":{branch}" if branch == name else f":refs/remotes/{name}"
        return f"`git fetch --depth=1 origin {branch}{here}` fetches it, `git fetch --unshallow` all"
    signs = _ANCESTOR.search(name)
    steps = [int(one or 1) for one in re.findall(r"[~^](\d*)", signs[0])] if signs else []
    deeper = f"`git fetch --deepen={sum(steps)}` fetches it, " if steps else ""
    return f"{deeper}`git fetch --unshallow` fetches all"


def git_version() -> tuple[int, ...] | None:
    """The numbers of git's version; None if it is not installed or prints none."""
    try:
        done = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    match = re.match(r"git version (\d+(?:\.\d+)+)", done.stdout)
    return None if match is None else tuple(int(part) for part in match[1].split("."))


def _in_list(path: Path) -> str:
    """A path as an element of a list that colons separate: git reads one that begins with `"` as C does."""
    quoted = str(path).replace("\\", r"\\").replace('"', r"\"")
    return f'"{quoted}"'


def _is_kept(variable: str) -> bool:
    """False for variables that a hook of git sets for its own repository. Configuration is kept: in a CI's
    container `safe.directory` may be given so."""
    return not variable.startswith("GIT_") or variable.startswith("GIT_CONFIG_")


def _no_repository(path: Path, said: str) -> GitError:
    if "dubious ownership" in said:
        return GitError(
            f"git reads no repository of another user: {path}",
            hint=f"`git config --global --add safe.directory {path.absolute()}` allows it",
            log=said,
        )
    return GitError(
        f"{path} is not in a git repository",
        hint="run nalm inside the NF's repository, or name it with --repo",
    )


class Repository:
    """A git repository, with a scratch directory for objects that must not be written to it."""

    def __init__(self, path: Path, scratch: Path, given: GivenConfig | None = None) -> None:
        """given: stands in for nalm.toml of every revision; None: each revision's own."""
        self.scratch = scratch
        self.given = given
        self._env = {key: value for key, value in os.environ.items() if _is_kept(key)}
        self._env |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
        self._start = path
        if not path.is_dir():
            raise GitError(f"{path} is not a directory", hint="give the path of the NF's git repository")
        bare = self._run(("rev-parse", "--is-bare-repository"), None)
        if bare.returncode != 0:
            raise _no_repository(path, bare.stderr)
        self.bare = bare.stdout.strip() == "true"
        self.root = path if self.bare else Path(self._git("rev-parse", "--show-toplevel"))
        self._start = self.root
        objects = self.root / self._git("rev-parse", "--git-path", "objects")
        self._own_objects = scratch / "objects"
        self._own_objects.mkdir(parents=True, exist_ok=True)
        self._env |= {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _in_list(self._own_objects)}
        self._writing = {
            "GIT_OBJECT_DIRECTORY": str(self._own_objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _in_list(objects.absolute()),
        }

    def resolve(self, name: str) -> Revision:
        """The commit of that name, or the working tree for "worktree". Raises GitError if there is none."""
        if name == WORKTREE:
            if self.bare:
                raise GitError(
                    f"{self.root} is a bare repository: it has no working tree to judge",
                    hint="name the commit with --head REV, or run nalm in a clone with files",
                )
            return self._worktree()
        commit = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if commit is None:
            if self._try("rev-parse", "--verify", "--quiet", "HEAD") is None:
                raise GitError(
                    f"{self.root} has no commit yet",
                    hint="make a first commit: a change is judged against a commit",
                )
            if self.shallow:
                raise GitError(
                    f"no commit named {name!r} in {self.root}, which is a shallow clone",
                    hint=fetch_hint(name),
                )
            raise GitError(
                f"no commit named {name!r} in {self.root}", hint="`git log --oneline` lists the commits"
            )
        tree, subject = self._git("show", "-s", "--format=%T%x00%s", commit).split("\0")
        return Revision(commit, tree, plain_line(subject))

    @property
    def shallow(self) -> bool:
        """True for a clone with a truncated history."""
        return self._try("rev-parse", "--is-shallow-repository") == "true"

    def _worktree(self) -> Revision:
        head = self.resolve("HEAD")
        if (self.root / ".gitmodules").exists():
            status = self._git("status", "--porcelain=v2", "--ignore-submodules=none")
            require_clean(self.root, status)
        index = self.scratch / "index"
        own = self.root / self._git("rev-parse", "--git-path", "index")
        if own.exists():
            shutil.copy2(own, index)  # with its time: git trusts entries older than the index
        env = self._writing | {"GIT_INDEX_FILE": str(index)}
        self._look_at_all(env)
        untracked = self._git("ls-files", "-z", "--others", "--exclude-standard", env=env).split("\0")
        nested = tuple(path.rstrip("/") for path in untracked if path.endswith("/"))
        self._git("add", "-A", "--", ".", *(f":(exclude,literal){path}" for path in nested), env=env)
        tree = self._git("write-tree", env=env)
        if tree == head.tree:
            return replace(head, left_out=nested)
        return Revision(head.commit, tree, "working tree", dirty=True, left_out=nested)

    def _look_at_all(self, env: dict[str, str]) -> None:
        """In nalm's own index, lets git see changes of files that the user's index takes for unchanged
        (assume-unchanged, skip-worktree): a build would have them."""
        listed = [one for one in self._git("ls-files", "-v", "-z", env=env).split("\0") if one]
        hidden = [one for one in listed if one[0].islower() or one[0] == "S"]
        there = "".join(f"{one[2:]}\0" for one in hidden if os.path.lexists(self.root / one[2:]))
        for flag in ("--no-assume-unchanged", "--no-skip-worktree") if there else ():
            self._run(("update-index", flag, "-z", "--stdin"), env, given=there)

    def branch(self) -> str | None:
        """The branch that is checked out; None for a detached HEAD."""
        return self._try("symbolic-ref", "--quiet", "--short", "HEAD")

    def parent(self, revision: Revision) -> Revision | None:
        """First parent; None for a root commit. Raises GitError at the end of a shallow clone's history."""
        name = self._try("rev-parse", "--verify", "--quiet", f"{revision.commit}^1")
        if name is None and self.shallow:
            written = self._git("cat-file", "commit", revision.commit).partition("\n\n")[0]
            if "\nparent " in written:
                raise GitError(
                    f"the parent of {revision.short} is not in this shallow clone",
                    hint="`git fetch --deepen=1` fetches it; in CI, check out with a depth of 2 or more",
                )
        return self.resolve(name) if name else None

    def precedes(self, old: Revision, new: Revision) -> bool:
        """True if one commit is among the other's ancestors."""
        return self._try("merge-base", "--is-ancestor", old.commit, new.commit) is not None

    def author(self, revision: Revision) -> str:
        """Author and date of a commit."""
        return self._git("show", "-s", "--format=%an <%ae>, %ad", "--date=short", revision.commit)

    def messages(self, base: Revision, head: Revision) -> list[str]:
        """Messages of the commits that head has and base lacks, oldest first."""
        said = self._try("log", "-z", "--reverse", "--format=%B", f"{base.commit}..{head.commit}")
        return said.split("\0") if said else []

    def expand(self, name: str) -> list[Revision]:
        """The commits of a name: one, or for A..B those on B's first-parent line since A, oldest first."""
        if "..." in name:
            raise GitError(
                f"{name}: nalm measures the commits of a line; A...B is a set of commits",
                hint="A..B names B's first-parent line since A",
            )
        if ".." not in name:
            return [self.resolve(name)]
        listed = self._try("rev-list", "--first-parent", "--reverse", "--end-of-options", name)
        if not listed:
            raise GitError(
                f"no commits in {name!r} in {self.root}", hint="`git log --oneline` lists the commits"
            )
        return [self.resolve(commit) for commit in listed.split()]

    def names(self, latest: int) -> list[tuple[str, str]]:
        """Names of commits with their subjects: HEAD, branches, tags, and the `latest` commits by short
        names."""
        kinds = ("refs/heads", "refs/tags", "refs/remotes")
        form = "%(refname:short)%09%(contents:subject)"
        listed = (
            self._try("log", "-1", "--format=HEAD%x09%s"),
            self._try("for-each-ref", "--sort=-creatordate", f"--format={form}", *kinds),
            self._try("log", f"-{latest}", "--format=%h%x09%s"),
        )
        lines = [line for some in listed if some for line in some.splitlines()]
        return [(name, plain_line(subject)) for name, _, subject in (line.partition("\t") for line in lines)]

    def choose_base(self, head: Revision) -> BaseChoice:
        """The base of a change: the merge base with the default branch, or on that branch the commit before.

        Raises GitError if there is no base, or if a shallow clone lacks it.
        """
        for branch in self._default_branch():
            base = self._try("merge-base", branch, head.commit)
            if base == head.commit:
                break
            if base:
                return BaseChoice(self.resolve(base), f"merge base with {branch}")
            if not base and self.shallow and self._try("rev-parse", "--verify", "--quiet", branch):
                raise GitError(
                    f"{head.short} and {branch} have no common commit in this shallow clone",
                    hint="`git fetch --deepen=50`, more if the branch is longer, or `git fetch --unshallow`; "
                    "in CI, check out with the whole history (fetch-depth: 0)",
                )
        if head.dirty:
            return BaseChoice(self.resolve(head.commit), "HEAD, the commit under the working tree")
        parent = self.parent(head)
        if parent is None:
            raise GitError(
                f"{head.short} has no parent to compare with",
                hint="change a file to have the working tree judged, or name a base with --base",
            )
        return BaseChoice(parent, "the commit before HEAD")

    def _default_branch(self) -> list[str]:
        """The default branch of `origin` and the local one of its name; those of them that exist."""
        default = self._try("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        for name in (default, "origin/main", "origin/master"):
            local = (name or "").removeprefix("origin/")
            found = [one for one in (name, local) if one and self._is_commit(one)]
            if found:
                return found
        return []

    def _is_commit(self, name: str) -> bool:
        return self._try("rev-parse", "--verify", "--quiet", "--end-of-options", name) is not None

    def read(self, revision: Revision, path: str) -> str | None:
        """A text file of a revision; None if it does not exist."""
        return self.read_tree(revision.tree, path)

    def read_tree(self, tree: str, path: str) -> str | None:
        """A text file of a tree, behind links; None if the tree or the file does not exist."""
        done = self._run(("cat-file", "--batch", "--follow-symlinks"), None, given=f"{tree}:{path}\n")
        about, _, content = done.stdout.partition("\n")
        return content.removesuffix("\n") if about.split(" ")[1:2] == ["blob"] else None

    def link(self, revision: Revision, path: str) -> str | None:
        """Where a path of a revision leads as a symbolic link; None if it is none."""
        entry = self._entries(revision.tree, {path}).get(path)
        if entry is None or not entry.startswith(_LINK):
            return None
        return self._git("cat-file", "blob", entry.removeprefix(_LINK))

    def hooks(self) -> Path:
        """The directory of this repository's hooks."""
        return self._start / self._git("rev-parse", "--git-path", "hooks")

    def files(self) -> list[str]:
        """Paths, relative to the root, of files in the working tree that git tracks or would add."""
        listed = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return [name for name in listed.split("\0") if name]

    def digest(self, revision: Revision, paths: Sequence[str]) -> str | None:
        """Content address of files and directories of a revision, with their modes; None if one is missing.

        "." stands for the whole tree.
        """
        names = {path: _inside(path) for path in paths}
        entries = self._entries(revision.tree, {name for name in names.values() if name != _ROOT})
        total = hashlib.sha256()
        for path in sorted(paths):
            name = names[path]
            entry = revision.tree if name == _ROOT else entries.get(name)
            if not entry:
                return None
            total.update(f"{name}\0{entry}\0".encode())
        return total.hexdigest()

    def has_links(self, revision: Revision, paths: Sequence[str]) -> bool:
        """True if one of these paths is a symbolic link, or a directory with one at any depth."""
        listed = self._git("ls-tree", "-r", "-z", revision.tree, "--", *paths)
        return any(entry.startswith(_LINK) for entry in listed.split("\0"))

    def file_digest(self, revision: Revision, path: str) -> str | None:
        """As `digest`, of one file and, where the path leads over symbolic links, of what is behind them.

        None if that does not exist. Raises GitError for a link out of the repository.
        """
        done = self._run(
            ("cat-file", "--batch-check", "--follow-symlinks"), None, given=f"{revision.tree}:{path}\n"
        )
        answer = done.stdout.partition("\n")[0].split(" ")
        if answer[0] == "symlink":
            raise GitError(
                f"{path} of {revision.short} is a symbolic link out of the repository: to "
                f"{done.stdout.partition(chr(10))[2].strip()}",
                hint="commit the file itself: a commit must have all that it is measured with",
            )
        if done.returncode != 0 or len(answer) != len(("object", "type", "size")):
            return None
        name = _inside(path)
        entry = self._entries(revision.tree, {name}).get(name)
        if entry is not None and not entry.startswith(_LINK):
            return self.digest(revision, [path])
        return hashlib.sha256(f"{name}\0{answer[0]}\0".encode()).hexdigest()

    def _entries(self, tree: str, names: Collection[str]) -> dict[str, str]:
        """Mode and object of those paths that a tree has."""
        if not names:
            return {}
        listed = self._git("ls-tree", "-z", tree, "--", *sorted(names))
        rows = (row.partition("\t") for row in listed.split("\0") if row)
        return {path: f"{mode} {named}" for about, _, path in rows for mode, _, named in [about.split()]}

    def outside(self, revision: Revision, paths: Sequence[str]) -> frozenset[str]:
        """Files, links and submodules of a revision that none of these paths names or contains."""
        if are_whole(paths):
            return frozenset()
        listed = self._git("ls-tree", "-r", "-z", "--name-only", revision.tree).split("\0")
        inside = tuple(f"{_inside(path)}/" for path in paths)
        return frozenset(one for one in listed if one and not f"{one}/".startswith(inside))

    def export(self, revision: Revision, to: Path) -> None:
        """Writes the revision's files, including those of its submodules, into an empty directory.

        Raises GitError if this clone lacks the commit of a submodule.
        """
        to.mkdir(parents=True, exist_ok=True)
        own = Path(self._git("rev-parse", "--absolute-git-dir"))
        common = (self._start / self._git("rev-parse", "--git-common-dir")).resolve()
        self._lay_out(own, revision.tree, to)
        submodules = Submodules(self._run, revision.short, None if self.bare else self.root)
        for one in submodules.found(own, [own, common], revision.tree):
            self._lay_out(one.git_dir, one.commit, to / one.path)

    def _lay_out(self, git_dir: Path, tree: str, to: Path) -> None:
        index = self.scratch / "export-index"
        index.unlink(missing_ok=True)
        to.mkdir(parents=True, exist_ok=True)
        env = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(to), "GIT_INDEX_FILE": str(index)}
        self._git("read-tree", tree, env=env)
        self._git("checkout-index", "--all", "--force", env=env, cwd=to)

    def _run(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None = None,
        given: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        own_index = _OF_INDEX if env is not None and "GIT_INDEX_FILE" in env else []
        command = ["git", *_SETTINGS, *own_index, *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=cwd or self._start,
                env=self._env | dict(env or {}),
                input=given,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=False,
            )
        except FileNotFoundError as error:
            if not (cwd or self._start).is_dir():
                raise GitError(f"{cwd or self._start} was removed", hint="run it again") from error
            raise GitError("git is not installed", hint="apt-get install git") from error
        if done.returncode < 0:  # which is no answer, such as that there is no such file
            raise GitError(
                f"git {arguments[0]} was ended by signal {-done.returncode} in {self._start}",
                hint="run it again; look for a lack of memory on this host",
            )
        return done

    def _try(self, *arguments: str, strip: bool = True) -> str | None:
        done = self._run(arguments, None)
        if done.returncode != 0:
            return None
        return done.stdout.rstrip("\n") if strip else done.stdout

    def _git(self, *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
        done = self._run(arguments, env, cwd)
        if done.returncode != 0 and os.strerror(errno.ENOSPC) in done.stderr:
            raise HostError(
                f"git {arguments[0]} found no space for its objects in {self.scratch}",
                hint="free space with `nalm store --prune`, or set NALM_HOME to another disk",
                log=done.stderr,
            )
        if done.returncode != 0:
            raise GitError(f"git {arguments[0]} failed in {self._start}", log=done.stderr)
        return done.stdout.rstrip("\n")
