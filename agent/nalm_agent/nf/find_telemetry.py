# SPDX-License-Identifier: Apache-2.0
"""Finds the telemetry socket of a running DPDK process among its open files, without a connection to it."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.nf.process_root import inside
from nalm_agent.nf.telemetry import NAME

_ACCEPTS = 0x10000
"""The kernel's flag (__SO_ACCEPTCON) of a listening socket."""


class TelemetrySockets:
    """The sockets of this host and its containers. It reads the kernel's list once per network namespace."""

    def __init__(self, proc: Path) -> None:
        self._proc = proc
        self._listening: dict[str, dict[str, str]] = {}

    def of_process(self, pid: int) -> Path | None:
        """The socket's path for this process. None if the NF has none, has ended or is another user's."""
        folder = self._proc / str(pid)
        try:
            listening = self._in_namespace_of(folder)
            opened = {_target(one) for one in (folder / "fd").iterdir()} if listening else set()
        except OSError:
            return None
        path = next((path for socket, path in listening.items() if socket in opened), None)
        return _reachable(path, folder / "root") if path is not None else None

    def _in_namespace_of(self, folder: Path) -> dict[str, str]:
        namespace = str((folder / "ns" / "net").readlink())
        if namespace not in self._listening:
            self._listening[namespace] = _listening((folder / "net" / "unix").read_text(errors="replace"))
        return self._listening[namespace]


def _listening(text: str) -> dict[str, str]:
    """Paths of listening sockets, by the target of their descriptors' links (proc(5), /proc/net/unix)."""
    rows = [line.split(None, 7) for line in text.splitlines()[1:]]
    return {
        f"socket:[{row[6]}]": row[7]
        for row in rows
        if len(row) == 8 and int(row[3], 16) & _ACCEPTS and Path(row[7]).name.startswith(NAME)
    }


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""  # closed meanwhile


def _reachable(path: str, root: Path) -> Path | None:
    """The path itself, or the path through the process's root if its mounts differ."""
    try:
        other = inside(root, path)
    except OSError:
        return None
    try:
        return Path(path) if Path(path).samefile(other) else other
    except OSError:
        return other
