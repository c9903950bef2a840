# SPDX-License-Identifier: Apache-2.0
"""Child processes that end with the agent, however it ends, and with all their descendants."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from nalm_core.text.plain_text import plain

from nalm_agent.runtime.bounded_log import BoundedLog, catch_up, read_end
from nalm_agent.runtime.child import Child
from nalm_agent.runtime.signal_guard import SignalGuard

TAIL_LINES = 25
WATCH_SECONDS = 0.25
TAIL_BYTES = 256 << 10
_running = set[Child]()
_IF_PARENT_LIVES = 'test "$PPID" -eq "$1" && shift && exec "$@"'


@dataclass(frozen=True)
class Console:
    """A command with pipes to its standard input, and from its standard output and error."""

    child: Child
    stdin: BinaryIO
    stdout: BinaryIO


@cache
def _setpriv() -> str | None:
    return shutil.which("setpriv")


def dying_with(parent: int, command: Sequence[str], by: str = "KILL") -> list[str]:
    """The command, which the kernel sends the signal `by` when the thread ends that started it (util-linux).

    It does not run if its parent is another process: one that ended before the kernel was asked.
    """
    if (setpriv := _setpriv()) is None:
        return list(command)
    return [
        setpriv,
        "--pdeathsig",
        by,
        "--",
        "/bin/sh",
        "-c",
        _IF_PARENT_LIVES,
        "nalm",
        str(parent),
        *command,
    ]


def start(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path) -> Child:
    """Starts a command with its output appended to a log of bounded size. The caller ends it with `stop`."""
    with SignalGuard(), Path(os.devnull).open("rb") as nothing:
        bounded = BoundedLog(log)
        try:
            child = Child(command, cwd=cwd, env=env, given=nothing.fileno(), output=bounded.writing)
        except BaseException:
            bounded.abandon()
            raise
        _running.add(child)
        bounded.follow(child)
    return child


def start_console(command: Sequence[str]) -> Console:
    """Starts a command that the caller talks with by pipes. The caller ends it with `stop`."""
    with SignalGuard():
        given, writing = os.pipe()
        reading, output = os.pipe()
        try:
            child = Child(command, cwd=Path.cwd(), env=os.environ, given=given, output=output)
        except BaseException:
            os.close(writing)
            os.close(reading)
            raise
        finally:
            os.close(given)
            os.close(output)
        _running.add(child)
        return Console(child, os.fdopen(writing, "wb"), os.fdopen(reading, "rb", buffering=0))


def guard(script: str, *arguments: str, output: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Runs a shell's script that outlives the agent by a moment: `read` fails in it when the agent has ended.

    The caller ends it with `release`.
    """
    return subprocess.Popen(
        ["/bin/sh", "-c", f"trap '' HUP INT TERM\n{script}", "nalm", *arguments],
        bufsize=0,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def release(guard: subprocess.Popen[bytes]) -> None:
    """Ends a guard, which does nothing then."""
    assert guard.stdin is not None
    guard.kill()
    guard.wait()
    guard.stdin.close()


def stop(child: Child) -> None:
    """Ends a command with all its descendants."""
    _running.discard(child)
    child.stop()


def stop_all() -> None:
    """Kills all running commands of this module, for an interrupt while other threads wait for them."""
    for child in list(_running):
        child.end()


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    limit_seconds: float,
    watch: Callable[[], None] | None = None,
) -> int:
    """Runs a command to its end. Returns its exit code.

    watch: called every WATCH_SECONDS while the command runs; an exception from it ends the command.
    Raises subprocess.TimeoutExpired after the limit, FileNotFoundError for an unknown program. After any
    exception no process of the command is left running.
    """
    if shutil.which(command[0], path=env.get("PATH")) is None:
        raise FileNotFoundError(command[0])
    child = start(command, cwd=cwd, env=env, log=log)
    try:
        if watch is not None:
            return _watched(child, limit_seconds, watch)
        return child.wait(timeout=limit_seconds)
    finally:
        stop(child)


def _watched(child: Child, limit_seconds: float, watch: Callable[[], None]) -> int:
    end = time.monotonic() + limit_seconds
    while True:
        left = end - time.monotonic()
        try:
            return child.wait(timeout=max(0.0, min(left, WATCH_SECONDS)))
        except subprocess.TimeoutExpired:
            if left <= WATCH_SECONDS:
                raise
        watch()


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """Last lines of a log; empty if there is none. Waits for the remaining output of an ended process."""
    catch_up(log)
    text = plain(read_end(log, TAIL_BYTES).decode(errors="replace"))
    return "\n".join(text.splitlines()[-lines:])
