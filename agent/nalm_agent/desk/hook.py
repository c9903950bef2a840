# SPDX-License-Identifier: Apache-2.0
"""The pre-push hook: what is pushed is judged first, and a regression stops the push.

Only what is proven stops it: an inconclusive run, or a host that cannot measure, is told and let through.
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

NAME = "pre-push"
MARK = "# made by `nalm hook install`; `nalm hook remove` takes it away"
TO_REF = "PRE_COMMIT_TO_REF"
"""Names what pre-commit's pre-push stage is about to push; git tells its hooks on standard input."""


def install(repository: Repository) -> Path:
    """Writes the hook. Raises UsageError where another one is: it is never overwritten."""
    path = repository.hooks() / NAME
    if path.exists() and not is_ours(path):
        raise UsageError(
            f"{path} is there already, and not nalm's: it stays as it is",
            hint="add the line `nalm hook run` to it (it must be given the hook's standard input)",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_script())
    path.chmod(0o755)
    return path


def remove(repository: Repository) -> Path | None:
    """Removes the hook; None if there is none. Raises UsageError if it is not nalm's."""
    path = repository.hooks() / NAME
    if not path.exists():
        return None
    if not is_ours(path):
        raise UsageError(
            f"{path} is not nalm's: it stays as it is",
            hint="take the line `nalm hook run` out of it yourself",
        )
    path.unlink()
    return path


def is_ours(path: Path) -> bool:
    """True for a hook that `install` wrote."""
    return MARK in path.read_text(errors="replace").splitlines()


def pushed_commits(lines: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Commits of the branches a push would change; what it deletes, and tags, are left out."""
    if given := environment.get(TO_REF):
        return [given]
    rows = (line.split() for line in lines)
    heads = [row[1] for row in rows if len(row) == 4 and row[2].startswith("refs/heads/")]
    return [head for head in dict.fromkeys(heads) if head.strip("0")]


def judged(repository: Repository, revision: str) -> int:
    """Judges a commit or the working tree, with all output on ours. Returns the exit code of `nalm check`."""
    with own_command(["check", "--head", revision, "--repo", str(repository.root)]) as process:
        return process.wait()


def _script() -> str:
    """Finds nalm again where it is now, should the hook run outside of its virtual environment."""
    here = shlex.quote(shutil.which("nalm") or str(Path(sys.argv[0]).absolute()))
    return f"""#!/bin/sh
{MARK}
nalm=$(command -v nalm || echo {here})
if [ ! -x "$nalm" ]; then
    echo "nalm is not installed: pushed without a judgement" >&2
    exit 0
fi
exec "$nalm" hook run
"""
