# SPDX-License-Identifier: Apache-2.0
"""The pre-push hook: judges commits before they are pushed; a regression stops the push.

Only a proven regression stops it: an inconclusive run, or a host that cannot measure, is reported and the
push continues.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from nalm_agent.runtime.errors import UsageError
from nalm_agent.runtime.own_command import own_command
from nalm_agent.source.git import Repository
from nalm_agent.store.atomic_file import put

NAME = "pre-push"
MARK = "# made by `nalm hook install`; `nalm hook remove` takes it away"  # as in hooks already installed
TO_REF = "PRE_COMMIT_TO_REF"
"""Variable with the commit that pre-commit's pre-push stage pushes; git passes it on standard input."""


def install(repository: Repository) -> Path:
    """Writes the hook. Raises UsageError if another hook exists: it is never overwritten."""
    path = repository.hooks() / NAME
    if path.exists() and not is_ours(path):
        raise UsageError(
            f"{path} exists and was not written by nalm; it is left unchanged",
            hint="add the line `nalm hook run` to it (it reads the hook's standard input)",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, _script().encode(), mode=0o755)
    return path


def remove(repository: Repository) -> Path | None:
    """Removes the hook; None if there is none. Raises UsageError if it is not nalm's."""
    path = repository.hooks() / NAME
    if not path.exists():
        return None
    if not is_ours(path):
        raise UsageError(
            f"{path} was not written by nalm; it is left unchanged",
            hint="remove the line `nalm hook run` from it yourself",
        )
    path.unlink()
    return path


def is_ours(path: Path) -> bool:
    """True for a hook that `install` wrote."""
    return MARK in path.read_text(errors="replace").splitlines()


def pushed_commits(lines: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Commits of the branches that a push changes, without deleted branches and tags."""
    if given := environment.get(TO_REF):
        return [given]
    rows = (line.split() for line in lines)
    heads = [row[1] for row in rows if len(row) == 4 and row[2].startswith("refs/heads/")]
    return [head for head in dict.fromkeys(heads) if head.strip("0")]


def judged(repository: Repository, revision: str) -> int:
    """Judges a commit or the working tree on this process's output. Returns the exit code of `nalm check`."""
    with own_command(["check", "--head", revision, "--repo", str(repository.root)]) as process:
        return process.wait()


def _script() -> str:
    """The hook's text, with the path of `nalm` in case the hook runs outside its virtual environment."""
    here = shlex.quote(shutil.which("nalm") or str(Path(sys.argv[0]).absolute()))
    return f"""#!/bin/sh
{MARK}
nalm=$(command -v nalm || echo {here})
if [ ! -x "$nalm" ]; then
    echo "nalm is not installed: pushed without a verdict" >&2
    exit 0
fi
exec "$nalm" hook run
"""
