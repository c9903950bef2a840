# SPDX-License-Identifier: Apache-2.0
"""Runs inside a build's sandbox and tries to escape from it. Prints as JSON what each try reached.

`null` means that a try reached nothing. The tries change nothing: they open files without writing to them and
remove what they create. The script needs only the standard library. Its argument is JSON with the bait that
lies outside the sandbox.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000
CHILDREN = 48
MORE_BYTES = 16 << 20

_SETTINGS = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/vm/drop_caches",
    "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity",
)
_SYSTEM = ("/", "/nalm", "/nalm/source", "/usr", "/usr/bin", "/etc", "/dev", "/opt", "/proc/sys/kernel")
_HOMES = ("/root", "/home", "/var", "/run", "/sys", "/srv", "/mnt")


def opens(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def makes_file(folder: str) -> bool:
    path = Path(folder, ".nalm-try")
    made = opens(str(path), os.O_WRONLY | os.O_CREAT)
    if made:
        path.unlink()
    return made


def settings(_: Any) -> str | None:
    return next((f"{path} can be written" for path in _SETTINGS if opens(path, os.O_WRONLY)), None)


def system(_: Any) -> str | None:
    for folder in _SYSTEM:
        if makes_file(folder):
            return f"{folder} can be written"
    return None


def etc(_: Any) -> str | None:
    """Tries to read a file of /etc that is not world-readable."""
    for folder, _folders, names in os.walk("/etc"):
        for name in names:
            path = Path(folder, name)
            with suppress(OSError):
                if not path.stat().st_mode & 0o004 and opens(str(path), os.O_RDONLY):
                    return f"{path} can be read"
    return None


def homes(bait: Any) -> str | None:
    for path in map(Path, (*_HOMES, *bait["hidden"])):
        if any(Path(shown).is_relative_to(path) for shown in bait["shown"]):
            continue
        with suppress(OSError):
            if any(path.iterdir()) if path.is_dir() else opens(str(path), os.O_RDONLY):
                return f"{path} can be read"
    return None


def loopback(bait: Any) -> str | None:
    try:
        socket.create_connection(("127.0.0.1", bait["port"]), timeout=2).close()
    except OSError:
        return None
    return "a port of 127.0.0.1 can be reached"


def abstract_socket(bait: Any) -> str | None:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect("\0" + bait["abstract"])
        except OSError:
            return None
    return "an abstract socket can be reached"


def user_namespace(_: Any) -> str | None:
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0 else 1)
    _, status = os.waitpid(child, 0)
    return "a user namespace with all capabilities can be made" if status == 0 else None


def memory_file_system(bait: Any) -> str | None:
    """Tries to write more to a file system in memory than the limit."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind = line.split()[:3]
        if kind not in ("tmpfs", "ramfs", "devtmpfs"):
            continue
        path = f"{place.rstrip('/')}/.nalm-try"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT)
        except OSError:
            continue
        try:
            os.posix_fallocate(handle, 0, bait["memory_bytes"] + MORE_BYTES)
            return f"{place} takes more than {bait['memory_bytes'] >> 20} MiB of memory"
        except OSError:
            continue
        finally:
            os.close(handle)
            Path(path).unlink()
    return None


def processes(bait: Any) -> str | None:
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if hard == resource.RLIM_INFINITY or hard > bait["processes"]:
        return "the number of processes is not limited"
    resource.setrlimit(resource.RLIMIT_NPROC, (CHILDREN // 2, hard))
    children = []
    try:
        for _ in range(CHILDREN):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        return None
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
        resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))
    return f"{CHILDREN} processes run where {CHILDREN // 2} are allowed"


def cache(bait: Any) -> str | None:
    """Tries to write to a compiler cache that this build must not fill, and to read another repository's."""
    if makes_file("/nalm/ccache"):
        return "a cache that this build must not fill can be written"
    other = bait["other_cache"]
    return f"{other} can be read" if opens(other, os.O_RDONLY) else None


TRIES: dict[str, Callable[[Any], str | None]] = {
    one.__name__: one
    for one in (
        settings,
        system,
        etc,
        homes,
        loopback,
        abstract_socket,
        user_namespace,
        memory_file_system,
        processes,
        cache,
    )
}


def main() -> None:
    bait = json.loads(sys.argv[1])
    print(json.dumps({name: one(bait) for name, one in TRIES.items()}))


if __name__ == "__main__":
    main()
