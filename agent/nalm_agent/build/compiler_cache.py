# SPDX-License-Identifier: Apache-2.0
"""The folder of a repository's compiler cache. Its name derives from the repository's path on this host,
never from a commit's contents.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from nalm_agent.build.isolation.build_user import BuildUser
from nalm_agent.store.home import Home

_FOLDER = "ccache"


def cache_name(repository: Path) -> str:
    """The folder's name, unique for each path."""
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", repository.name)[:64]
    return f"{readable}-{hashlib.sha256(str(repository).encode()).hexdigest()[:16]}"


def cache_folder(home: Home, repository: Path) -> Path:
    """The folder, created if it does not exist."""
    folder = home.folder(_FOLDER) / cache_name(repository)
    folder.mkdir(exist_ok=True)
    return folder


def hand_over_cache(folder: Path, user: BuildUser) -> None:
    """Makes the build user the owner of a cache. A cache of another user is emptied first."""
    if folder.stat().st_uid != user.uid:
        shutil.rmtree(folder)
        folder.mkdir()
        user.own(folder)


def read_only_environment(temporary: str) -> dict[str, str]:
    """Variables with which ccache reads from a cache that it cannot write to."""
    return {"CCACHE_READONLY": "1", "CCACHE_NOSTATS": "1", "CCACHE_TEMPDIR": f"{temporary}/ccache"}
