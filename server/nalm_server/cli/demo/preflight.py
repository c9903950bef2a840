# SPDX-License-Identifier: Apache-2.0
"""Checks before the demo starts: port, disk, programs, huge pages."""

from __future__ import annotations

import errno
import shutil
import socket
from pathlib import Path

from nalm_server.cli.demo.errors import DemoError

DISK_BYTES = 1 << 30
"""Free space for builds, store and reports of one demo, with a reserve."""
PROGRAMS = {
    "git": "git",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "ccache": "ccache",
    "valgrind": "valgrind",
    "setpriv": "util-linux",
}
"""Programs that the demo calls, and their Debian packages."""


def check_port(host: str, port: int) -> None:
    """Raises DemoError if the server cannot listen on the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise DemoError(
                    f"port {port} on {host} is taken by another program (an earlier `make run`?). "
                    f"Stop that program, or choose another port: make run PORT={port + 1}"
                ) from error
            raise DemoError(f"cannot listen on {host}:{port}: {error.strerror}") from error


def check_disk(state: Path) -> None:
    """Creates the state directory; raises DemoError if it is not writable or has too little space."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        (state / ".writable").write_bytes(b"nalm")
        (state / ".writable").unlink()
        free = shutil.disk_usage(state).free
    except OSError as error:
        raise DemoError(
            f"cannot write to {state}: {error.strerror}. Make it writable, or choose another --state."
        ) from error
    if free < DISK_BYTES:
        raise DemoError(
            f"{state} has {free / (1 << 20):.0f} MiB free; the demo needs {DISK_BYTES >> 20} MiB "
            "for builds and results. Free some, or choose another place with --state."
        )


def check_programs() -> None:
    """Raises DemoError with every missing program and its package."""
    missing = [f"{name} (package {package})" for name, package in PROGRAMS.items() if not shutil.which(name)]
    if missing:
        raise DemoError(f"not installed: {', '.join(missing)}. `make install` installs them.")


def huge_pages_note() -> str | None:
    """A sentence if there are no free huge pages; else None."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("HugePages_Free:") and int(line.split()[1]) > 0:
            return None
    return (
        "No huge pages are free on this host: the NF asks the kernel for transparent ones. Comparisons hold; "
        "absolute figures may be higher than with huge pages."
    )
