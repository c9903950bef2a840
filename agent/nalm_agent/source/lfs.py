# SPDX-License-Identifier: Apache-2.0
"""Files in Git LFS: without their content, a checkout has small pointers in their place."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.runtime.errors import GitError

_POINTER = b"version https://git-lfs.github.com/spec/"


def require_content(path: Path, name: str) -> None:
    """Raises GitError if a file is a Git LFS pointer. `name`: the file's name in the error."""
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise GitError(
                f"{name} is a Git LFS pointer, not its content",
                hint="install git-lfs, then `git lfs install` and `git lfs pull` in the repository; "
                "`nalm store --prune --limit 0` removes the stored pointer",
            )
