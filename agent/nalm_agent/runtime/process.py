# SPDX-License-Identifier: Apache-2.0
"""Child processes that end with the agent, however it ends: each has its own session and is killed with its
group."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from nalm_core.text.plain_text import plain

from nalm_agent.runtime.bounded_log import BoundedLog, catch_up, read_end
from nalm_agent.runtime.signal_guard import SignalGuard

TAIL_LINES = 25
WATCH_SECONDS = 0.25
TAIL_BYTES = 256 << 10
_running: dict[subprocess.Popen[bytes], subprocess.Popen[bytes]] = {}
"""Each process with its guard."""
_KILL_GROUP = """read -r group && read -r _
[ -z "$group" ] || kill -s KILL -- "-$group" """
"""The group is known only when the command runs, which is after its guard."""
_IF_PARENT_LIVES = 'test "$PPID" -eq "$1" && shift && exec "$@"'


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


def start(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Starts a command with its output appended to a log of bounded size. The caller ends it with `stop`."""
    with SignalGuard():
        bounded = BoundedLog(log)
        try:
            process = _started(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=bounded.writing)
        except BaseException:
            bounded.abandon()
            raise
        bounded.follow(process)
    return process


def start_console(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts a command that the caller talks with by pipes. The caller ends it with `stop`."""
    with SignalGuard():
        return _started(command, cwd=None, env=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _started(
    command: Sequence[str], *, cwd: Path | None, env: Mapping[str, str] | None, stdin: int, stdout: int
) -> subprocess.Popen[bytes]:
    """With the agent, the kernel kills the command, but not the command's children, such as an NF that a
    script runs: the guard kills those."""
    own = guard(_KILL_GROUP)
    try:
        process = subprocess.Popen(
            dying_with(os.getpid(), command),
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        release(own)
        raise
    _running[process] = own
    assert own.stdin is not None
    own.stdin.write(f"{process.pid}\n".encode())
    return process


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


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kills a process and its process group, and reaps it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if guard := _running.pop(process, None):
        release(guard)
    process.wait()


def stop_all() -> None:
    """Kills all running processes of this module, for an interrupt while other threads wait for them."""
    for process in list(_running):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


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
    process = start(command, cwd=cwd, env=env, log=log)
    try:
        if watch is not None:
            return _watched(process, limit_seconds, watch)
        return process.wait(timeout=limit_seconds)
    finally:
        stop(process)


def _watched(process: subprocess.Popen[bytes], limit_seconds: float, watch: Callable[[], None]) -> int:
    end = time.monotonic() + limit_seconds
    while True:
        left = end - time.monotonic()
        try:
            return process.wait(timeout=max(0.0, min(left, WATCH_SECONDS)))
        except subprocess.TimeoutExpired:
            if left <= WATCH_SECONDS:
                raise
        watch()


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """Last lines of a log; empty if there is none. Waits for the remaining output of an ended process."""
    catch_up(log)
    text = plain(read_end(log, TAIL_BYTES).decode(errors="replace"))
    return "\n".join(text.splitlines()[-lines:])
