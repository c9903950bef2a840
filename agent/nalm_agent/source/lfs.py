# SPDX-License-Identifier: Apache-2.0
"""Files kept in Git LFS: without its content, a checkout holds a small pointer in a file's place."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.runtime.errors import GitError

_POINTER = b"version https://git-lfs.github.com/spec/"


def require_content(path: Path, name: str) -> None:
    """Raises GitError for a file that is a Git LFS pointer. `name`: what the person calls it."""
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise GitError(
                f"{name} is a Git LFS pointer, not its content",
                hint="install git-lfs, then `git lfs install` and `git lfs pull` in the repository; "
                "`nalm store --prune --limit 0` forgets the pointer",
            )
