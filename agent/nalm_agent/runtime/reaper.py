# SPDX-License-Identifier: Apache-2.0
"""A program that runs a command and ends it with all its descendants, also those in sessions of their own.

The kernel makes it the parent of every descendant whose own parent has ended (prctl(2),
PR_SET_CHILD_SUBREAPER), so none is lost, and no other process is among them. It ends all of them as soon as
its standard input is readable or at its end, thus also if the agent was killed. The kernel kills the command
itself if the reaper is killed.

Arguments: file descriptors of the command's input, of its output and of the reports. Input: the command, its
directory and its environment, by `marshal`. Reports: a line `pid N`, then `status N` of waitpid(2) when the
command has ended, or `error N`, an errno. `child.py` is the other end. Nothing but the standard library is
imported, and little of it: this program is started for each command. To load `signal`, which makes
enumerations of what `_signal` has, would take a third of its start.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import ctypes
import marshal
import os
import select
import sys

PDEATHSIG, CHILD_SUBREAPER = 1, 36
"""Options of prctl (linux/prctl.h)."""
AGAIN_SECONDS = 0.05
"""Interval between two tries to kill what is left."""
_EXEC = 'exec "$@"'
_DEFAULT = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ)


def main() -> None:
    _main()
    os._exit(0)


def _main() -> None:
    given, output, reports = (int(one) for one in sys.argv[1:])
    size = int.from_bytes(_read(8), "little")
    command, directory, environment = marshal.loads(_read(size))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.set_inheritable(reports, False)
    try:
        if prctl(CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        os.chdir(directory)
        own = os.getpid()
        root = os.fork()
    except OSError as error:
        _report(reports, f"error {error.errno}")
        return
    if root == 0:
        prctl(PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == own:
            _become(command, environment, given, output)
        os._exit(127)
    os.chdir("/")
    os.close(given)
    os.close(output)
    _report(reports, f"pid {root}")
    _reap(root, ended, reports)
    _end_all(root, ended, reports)


def _read(size: int) -> bytes:
    """So many bytes of standard input, which is not read further. The agent has ended if there are fewer."""
    found = b""
    while len(found) < size:
        part = os.read(0, size - len(found))
        if not part:
            os._exit(1)
        found += part
    return found


def _become(command: list[bytes], environment: dict[bytes, bytes], given: int, output: int) -> None:
    """Runs the command in this process, in a session of its own."""
    os.setsid()
    os.dup2(given, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(given)
    os.close(output)
    for number in _DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    # A shell says why a program cannot be run, and runs scripts without an interpreter's name.
    os.execve("/bin/sh", [b"/bin/sh", b"-c", _EXEC.encode(), b"nalm", *command], environment)


def _reap(root: int, ended: int, reports: int) -> None:
    """Reaps descendants until standard input is readable. The command itself stays a zombie, so that its
    process id remains its own."""
    over = False
    while True:
        while not over:
            child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if child is None:
                break
            if child.si_pid == root:
                over = True
                _report(reports, f"status {_status(child)}")
            else:
                os.waitpid(child.si_pid, 0)
        readable = select.select([0, ended], [], [])[0]
        if 0 in readable:
            return
        os.read(ended, 4096)


def _status(child: os.waitid_result) -> int:
    """The status of waitpid(2)."""
    return child.si_status << 8 if child.si_code == os.CLD_EXITED else child.si_status


def _end_all(root: int, ended: int, reports: int) -> None:
    """Kills all descendants until none is left that may be killed."""
    while True:
        try:
            while (reaped := os.waitpid(-1, os.WNOHANG))[0] != 0:
                if reaped[0] == root:
                    _report(reports, f"status {reaped[1]}")
        except ChildProcessError:
            return
        if not [group for group in _groups_below(os.getpid()) if _killed(group)]:
            return
        if select.select([ended], [], [], AGAIN_SECONDS)[0]:
            os.read(ended, 4096)


def _report(reports: int, line: str) -> None:
    try:
        os.write(reports, f"{line}\n".encode())
    except BrokenPipeError:  # the agent was killed
        return


def _killed(group: int) -> bool:
    """Kills a process group, which cannot grow meanwhile. False if it belongs to another user (sudo)."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def _groups_below(ancestor: int) -> set[int]:
    """Process groups of all descendants: they are in sessions of descendants, which nobody else can join."""
    group_of, children = dict[int, int](), dict[int, list[int]]()
    for process in os.scandir("/proc"):
        if process.name.isdigit():
            try:
                # after the name in brackets, which may contain anything: state, parent, group
                fields = _stat(process.path).rpartition(b")")[2].split()
            except OSError:  # it has ended
                continue
            group_of[int(process.name)] = int(fields[2])
            children.setdefault(int(fields[1]), []).append(int(process.name))
    below = list(children.get(ancestor, ()))
    for pid in below:
        below += children.get(pid, ())
    return {group_of[pid] for pid in below}


def _stat(process: str) -> bytes:
    file = os.open(f"{process}/stat", os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)
