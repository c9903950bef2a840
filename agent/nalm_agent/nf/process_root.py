# SPDX-License-Identifier: Apache-2.0
"""Paths as another process sees them, which may have other mounts, such as a container's."""

from __future__ import annotations

from errno import ELOOP
from pathlib import Path, PurePosixPath

MOST_LINKS = 40
"""Number of links to follow, as in the kernel (path_resolution(7))."""


def inside(root: Path, path: str) -> Path:
    """The absolute path below a process's root (/proc/PID/root), with absolute links resolved below it too.

    The kernel would resolve them from the caller's root; /var/run is such a link. Raises OSError.
    """
    place, left, links = root, list(PurePosixPath(path).parts[:0:-1]), 0
    while left:
        part = left.pop()
        if part == "..":
            place = place.parent if place != root else root
        elif (here := place / part).is_symlink():
            links += 1
            if links > MOST_LINKS:
                raise OSError(ELOOP, "too many links", path)
            target = here.readlink()
            place = root if target.is_absolute() else place
            left += [step for step in reversed(target.parts) if step != "/"]
        else:
            place = here
    return place
