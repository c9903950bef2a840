# SPDX-License-Identifier: Apache-2.0
"""Where a repository's compiler cache is. Its name comes from where the repository is on this host, never
from what a commit says of itself.
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
    """A name for a folder, one for each path."""
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", repository.name)[:64]
    return f"{readable}-{hashlib.sha256(str(repository).encode()).hexdigest()[:16]}"


def cache_folder(home: Home, repository: Path) -> Path:
    """Made if it is not there."""
    folder = home.folder(_FOLDER) / cache_name(repository)
    folder.mkdir(exist_ok=True)
    return folder


def hand_over_cache(folder: Path, user: BuildUser) -> None:
    """Makes a cache the build user's. One of another user's, which it could not add to, begins anew."""
    if folder.stat().st_uid != user.uid:
        shutil.rmtree(folder)
        folder.mkdir()
        user.own(folder)


def read_only_environment(temporary: str) -> dict[str, str]:
    """Variables with which ccache takes from a cache that it cannot write to."""
    return {"CCACHE_READONLY": "1", "CCACHE_NOSTATS": "1", "CCACHE_TEMPDIR": f"{temporary}/ccache"}
