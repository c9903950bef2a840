# SPDX-License-Identifier: Apache-2.0
"""The parts of this host's system that a build sees: programs, libraries, a few files of /etc, a small /dev.

All of them are read-only. Files of /etc are listed one by one: those without secrets that compilers, linkers
and interpreters read.
"""

from __future__ import annotations

import stat
from pathlib import Path

SHARED_MEMORY_BYTES = 64 << 20
"""Size of a build's /dev/shm."""

_SYSTEM = ("usr", "opt", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix")
_OF_ITS_OWN = ("dev", "etc", "nalm", "proc")
_ETC = (
    "alternatives",
    "ca-certificates",
    "clang",
    "crypto-policies",
    "debian_version",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "lsb-release",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "pki/ca-trust/extracted",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
_ETC_OF_NETWORK = ("gai.conf", "host.conf", "hosts", "resolv.conf")
_RESOLVER = "/run/systemd/resolve"
_OF_THE_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi")
_MADE_UP = Path(__file__).with_name("etc")
"""passwd and group inside a build, with the build's user only."""


def system_view() -> list[str]:
    """bwrap's arguments for programs, libraries, /proc and /dev."""
    words: list[str] = []
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--proc", "/proc"]
    for path in map(Path, _OF_THE_KERNEL):
        if path.exists():
            words += ["--ro-bind", str(path), str(path)]
    shared_memory = ["--size", str(SHARED_MEMORY_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm"]
    return [*words, "--dev", "/dev", *shared_memory, "--remount-ro", "/dev"]


def is_in_view(path: Path) -> bool:
    """True if a build may see a path of this host, or has its own there."""
    return path.parts[1] in (*_SYSTEM, *_OF_ITS_OWN) if len(path.parts) > 1 else True


def etc_view(made_up: str, *, network: bool) -> list[str]:
    """bwrap's arguments for /etc. made_up: the path of `made_up_etc` for the starter of the sandbox."""
    words = []
    for name in ("passwd", "group"):
        words += ["--ro-bind", f"{made_up}/{name}", f"/etc/{name}"]
    for name in (*_ETC, *(_ETC_OF_NETWORK if network else ())):
        path = Path("/etc", name)
        if path.exists() and path.stat().st_mode & stat.S_IROTH:
            words += ["--ro-bind", str(path), str(path)]
    return [*words, *(("--ro-bind-try", _RESOLVER, _RESOLVER) if network else ())]


def made_up_etc() -> Path:
    """The folder with a build's passwd and group."""
    return _MADE_UP
