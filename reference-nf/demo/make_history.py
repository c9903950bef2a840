#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the demo repository: reference-nf as its first commit, then one merge for each patch of the demo.

    python3 reference-nf/demo/make_history.py --to DIR [--from reference-nf]

DIR becomes a bare repository with branch main. Authors and dates are fixed: the same content gives the same
SHAs. The repository is made next to DIR and moved into place when it is complete. An interrupted run is
repeated, a DIR with the same content is kept, and a DIR that something else made is refused. Prints the
merges (JSON). Needs git, and nalm_agent, which reads the patches' headers. Exit codes: 0 made, 1 could not be
made, 2 wrong arguments.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.mutants.read import Patch, PatchError, demo_patches

LEFT_OUT = ("mutants/", "demo/")  # the results that the demo shall find
START_PATCH = Path(__file__).resolve().parent / "start.patch"
RECORD = "nalm-demo.json"  # in DIR: a digest of its inputs, and its merges
FIRST_COMMIT = 1767603600  # 2026-01-05 09:00 UTC, seconds since the epoch
DAY = 86400
WHICH = r"[1-9][0-9]{0,2}(-[1-9][0-9]{0,2})?(,[1-9][0-9]{0,2}(-[1-9][0-9]{0,2})?)*"
AUTHORS = (
    ("Ada Marsh", "ada@example.com"),
    ("Bruno Keller", "bruno@example.com"),
    ("Chiyo Tanaka", "chiyo@example.com"),
)


class HistoryError(Exception):
    """The history cannot be made; the message has the mistake, its place, and what to do."""


@dataclass(frozen=True)
class File:
    """One tracked file: its mode as git writes it, its path in the repository, its content."""

    mode: str
    path: str
    content: bytes


class Repository:
    """A bare repository that is written without a work tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_DIR": str(folder),
            "GIT_INDEX_FILE": str(folder / "demo.index"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_COMMITTER_NAME": "nalm demo",
            "GIT_COMMITTER_EMAIL": "demo@example.com",
        }

    def git(self, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
        """Runs git on this repository; its output without the last newline."""
        done = subprocess.run(
            ["git", *arguments],
            input=stdin,
            capture_output=True,
            env={**self.environment, **environment},
            cwd=self.folder,
            check=False,
        )
        if done.returncode:
            raise HistoryError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode().strip()

    def stage(self, files: list[File]) -> None:
        """Replaces the index's content by the files, which one process stores: one for each takes seconds."""
        blobs = [
            b"blob\nmark :%d\ndata %d\n%s\nget-mark :%d\n" % (number, len(file.content), file.content, number)
            for number, file in enumerate(files, start=1)
        ]
        names = self.git("fast-import", "--quiet", stdin=b"".join(blobs)).split()
        lines = [f"{file.mode} {blob}\t{file.path}\n" for file, blob in zip(files, names, strict=True)]
        self.git("read-tree", "--empty")
        self.git("update-index", "--index-info", stdin="".join(lines).encode())

    def commit(self, number: int, message: str, parents: list[str]) -> str:
        """Commits the index with the author and the time of commit `number`."""
        name, email = AUTHORS[number % len(AUTHORS)]
        date = f"{FIRST_COMMIT + number * DAY // 2} +0000"
        arguments = ["commit-tree", self.git("write-tree"), "-m", message]
        for parent in parents:
            arguments += ["-p", parent]
        return self.git(
            *arguments,
            GIT_AUTHOR_NAME=name,
            GIT_AUTHOR_EMAIL=email,
            GIT_AUTHOR_DATE=date,
            GIT_COMMITTER_DATE=date,
        )


def tracked_files(source: Path) -> list[File]:
    """Files that git tracks under `source`, as in the work tree, without those that the demo omits."""
    listed = subprocess.run(
        ["git", "-C", str(source), "ls-files", "-s", "-z", "."], capture_output=True, check=False
    )
    if listed.returncode:
        reason = listed.stderr.decode(errors="replace").strip()
        raise HistoryError(
            f"{source}: not in a git checkout ({reason}); pass the checkout's folder by --from"
        )
    files = []
    for entry in filter(None, listed.stdout.decode().split("\0")):
        mode, path = entry.split(" ")[0], entry.split("\t", 1)[1]
        if path.startswith(LEFT_OUT):
            continue
        try:
            files.append(File(mode, path, (source / path).read_bytes()))
        except OSError as error:
            raise HistoryError(
                f"{source / path}: tracked but cannot be read ({error.strerror}); restore it with git"
            ) from error
    if not any(file.path == "nalm.toml" for file in files):
        raise HistoryError(f"{source}: has no tracked nalm.toml, so it is no NF's repository")
    return files


def inputs_digest(files: list[File], patches: list[Patch], start: bytes) -> str:
    """A digest of all inputs of the history, this program included."""
    digest = hashlib.sha256(Path(__file__).read_bytes() + start)
    for file in files:
        digest.update(f"{file.mode} {file.path} {len(file.content)}\n".encode() + file.content)
    for patch in patches:
        digest.update(f"{patch.name} {len(patch.text)}\n".encode() + patch.text)
    return digest.hexdigest()


def make(folder: Path, files: list[File], patches: list[Patch], start: bytes) -> list[dict[str, object]]:
    """Makes the history in the empty `folder` and returns its merges, oldest first."""
    repository = Repository(folder)
    repository.git("init", "-q", "--bare", "-b", "main", ".")
    repository.stage(files)
    main = repository.commit(0, "reference-nf: import the network function", [])
    repository.git("apply", "--cached", "--whitespace=nowarn", "-", stdin=start)
    main = repository.commit(1, "sfc_a: begin without DPI", [main])
    merges: list[dict[str, object]] = []
    for patch in patches:
        try:
            repository.git("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch.text)
        except HistoryError as error:
            raise HistoryError(
                f"{patch.name}: does not apply after the patches before it: {error}"
            ) from error
        number = 2 * patch.order
        message = f"{patch.title}\n\n{patch.what}"
        branch = repository.commit(number, message, [main])
        merged = f"{patch.title} (#{patch.order})\n\nMerge branch '{patch.branch}'\n\n{patch.what}"
        merge = repository.commit(number + 1, merged, [main, branch])
        merges.append(
            {
                "sha": merge,
                "parent": main,
                "order": patch.order,
                "patch": patch.name,
                "subject": f"{patch.title} (#{patch.order})",
                "expect": patch.expect,
                "stage": patch.stage,
                "cause": patch.cause,
                "scenario": patch.scenario,
                "metric": patch.metric,
            }
        )
        main = merge
    repository.git("update-ref", "refs/heads/main", main)
    (folder / "demo.index").unlink()
    return merges


def recorded(folder: Path, digest: str) -> list[dict[str, object]] | None:
    """The merges of a DIR made from the same inputs; None: DIR must be made. Refuses a DIR of another
    program."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    try:
        record = json.loads((folder / RECORD).read_text())
        made_from, merges = record["made_from"], record["merges"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HistoryError(
            f"{folder}: exists and was not made by this program; choose another --to, or remove it yourself"
        ) from error
    if made_from != digest or Repository(folder).git("rev-parse", "main") != merges[-1]["sha"]:
        return None
    return list(merges)


def chosen(patches: list[Patch], which: str | None) -> list[Patch]:
    """The patches that `which` names: `5` the first five, `1-4,8,9` those; None: all."""
    if which is None:
        return patches
    if which.isdecimal():
        return patches[: int(which)]
    orders: set[int] = set()
    for part in which.split(","):
        first, _, last = part.partition("-")
        orders |= set(range(int(first), int(last or first) + 1))
    return [patch for patch in patches if patch.order in orders]


def history(source: Path, folder: Path, which: str | None = None) -> list[dict[str, object]]:
    """Makes `folder` unless it exists, and returns its merges."""
    files = tracked_files(source)
    patches = chosen(demo_patches(source / "mutants"), which)
    if not patches:
        raise HistoryError(f"--merges {which}: the demo has no such merges")
    start = START_PATCH.read_bytes()
    digest = inputs_digest(files, patches, start)
    merges = recorded(folder, digest)
    if merges is not None:
        return merges
    making, former = (folder.with_name(f"{folder.name}.{state}") for state in ("making", "former"))
    for left in (making, former):
        if left.exists():
            shutil.rmtree(left)
    making.mkdir(parents=True)
    merges = make(making, files, patches, start)
    (making / RECORD).write_text(json.dumps({"made_from": digest, "merges": merges}, indent=1) + "\n")
    os.sync()
    if folder.exists():
        folder.rename(former)  # half of it would not be recognised as this program's
    making.rename(folder)
    shutil.rmtree(former, ignore_errors=True)
    return merges


def main() -> int:
    """Reads the arguments; prints the merges."""
    parser = argparse.ArgumentParser(description="Makes the demo repository of the reference NF.")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="DIR", help="where the bare repository goes"
    )
    parser.add_argument(
        "--from",
        type=Path,
        default=Path(__file__).resolve().parent.parent,
        dest="source",
        metavar="reference-nf",
        help="the NF's tracked folder (default: the one this program is in)",
    )
    parser.add_argument(
        "--merges", metavar="WHICH", help="5: the first five merges; 1-4,8,9: these (default: all)"
    )
    arguments = parser.parse_args()
    if arguments.merges is not None and not re.fullmatch(WHICH, arguments.merges):
        parser.error(f"--merges {arguments.merges}: expected a number, or numbers like 1-4,8,9")
    try:
        merges = history(arguments.source.resolve(), arguments.to.resolve(), arguments.merges)
    except (HistoryError, PatchError, OSError) as error:
        print(f"make_history: {error}", file=sys.stderr)
        return 1
    json.dump(merges, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
