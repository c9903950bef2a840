# SPDX-License-Identifier: Apache-2.0
"""Opens files of a build safely: opening neither blocks nor follows links out of the build."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from nalm_agent.runtime.errors import BuildError

LARGEST_BYTES = 1 << 30
"""Largest file of a build that is read."""

_HINT = "[build] artifacts in nalm.toml names the files a build makes: executables and shared libraries"
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe (FIFO)",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def artifact_path(build: Path, name: str) -> Path:
    """The path of an artifact, with links resolved. Raises BuildError if it is missing or outside."""
    root = build.resolve()
    try:
        found = (root / name).resolve(strict=True)
    except FileNotFoundError as error:
        raise BuildError(f"the build made no {name}", hint=_HINT) from error
    except (OSError, RuntimeError) as error:  # a loop of links
        raise BuildError(f"the build's {name} leads nowhere: {error}", hint=_HINT) from error
    if not found.is_relative_to(root):
        raise BuildError(f"the build's {name} is a link out of the build directory", hint=_HINT)
    return found


def open_file(path: Path, *, largest_bytes: int | None = LARGEST_BYTES) -> BinaryIO:
    """Opens a regular file of bounded size; None: of any size. Raises BuildError for other files."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise BuildError(f"the build made no {path.name}", hint=_HINT) from error
    except OSError as error:
        raise BuildError(f"the build's {path.name} cannot be read: {error.strerror}", hint=_HINT) from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "of an unknown kind")
            raise BuildError(f"the build's {path.name} is {kind}, not a file", hint=_HINT)
        if largest_bytes is not None and status.st_size > largest_bytes:
            raise BuildError(
                f"the build's {path.name} has {status.st_size >> 20} MiB; "
                f"at most {largest_bytes >> 20} MiB are read",
                hint="name a smaller file in [build] artifacts, or build it without debug information",
            )
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
