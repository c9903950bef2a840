# SPDX-License-Identifier: Apache-2.0
"""The process of an NF, with any source of counters: it has its own directory, and is stopped afterwards."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from nalm_agent.host.cpu_choices import PINNED
from nalm_agent.nf.known_failures import advice
from nalm_agent.nf.mapped_files import mapped_files, processes_of
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import NfError, ProbeError
from nalm_agent.runtime.process import start, stop, tail
from nalm_agent.store.home import WorkDir

POLL_SECONDS = 0.0002
POLL_LONG_SECONDS = 0.005
POLL_SHARE = 0.05
"""Interval between two checks of a condition, as a share of the time waited so far: a short wait ends at
once, a long one takes little of a CPU."""
REPORT_SECONDS = 10.0
"""Time after which a wait is reported, with what the NF printed, although it may last longer."""
LINES_REPORTED = 3
_SHELLS_SIGNALS = 128
"""A shell's exit code for a program that a signal ended is the sum of this and the signal's number."""
NICE = -20
"""Priority of a measured NF where the agent may set it: other programs then take almost none of its CPU."""


class NfProcess:
    """An NF's process. A context manager, which stops the process in every case."""

    poll_seconds = POLL_LONG_SECONDS
    """Longest interval between two checks of a condition."""

    def __init__(self, how: NfStart, work: WorkDir) -> None:
        self.directory: Path = work.fresh("run")
        self._how = how
        self._log = self.directory / "nf.log"
        given = how.environment
        in_place = dict(zip(given, self.in_run_dir(list(given.values())), strict=True))
        self.environment: Mapping[str, str] = nf_environment(self.directory) | in_place
        bound = ["taskset", "--cpu-list", ",".join(map(str, how.pin))] if how.pin else []
        self._command = [*bound, *self.in_run_dir(how.command)]
        try:
            self._process = start(self._command, cwd=self.directory, env=self.environment, log=self._log)
        except OSError as error:
            raise NfError(f"the NF could not be started: {error}") from error
        if how.urgent:
            _prefer(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        stop(self._process)

    @property
    def pid(self) -> int:
        """The process that was started; the NF is this process or its descendant."""
        return self._process.pid

    @property
    def log(self) -> Path:
        """The file that has what it printed."""
        return self._log

    def answering(self) -> AbstractContextManager[None]:
        """Between two turns only its lcores wait: other threads answer at any time."""
        return contextlib.nullcontext()

    def log_tail(self) -> str:
        """The last lines that the NF wrote."""
        return tail(self._log)

    def mapped_files(self) -> frozenset[Path] | None:
        """Files that the NF has mapped now; None if they do not determine what it runs."""
        return mapped_files(processes_of(self.pid), self.directory.resolve())

    def in_run_dir(self, command: Sequence[str]) -> list[str]:
        """A command line with this process's directory in it."""
        return [argument.replace("{run_dir}", str(self.directory)) for argument in command]

    def _wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        begin, reported = time.monotonic(), False
        while not condition():
            code = self._process.poll()
            if code is not None and not self._reached(condition):
                raise self._ended(f"the NF {what}: it ended with {describe_exit(code)}", code)
            waited = time.monotonic() - begin
            if waited > seconds:
                raise self._late(f"the NF {what} within {seconds:g} s")
            if waited > REPORT_SECONDS and not reported:
                reported = True
                self._how.say(self._still_waiting(what, waited, seconds))
            self._pause(waited)

    def _pause(self, waited: float) -> None:
        """Sleeps until the next check. waited: seconds since the first one."""
        time.sleep(min(max(POLL_SECONDS, POLL_SHARE * waited), self.poll_seconds))

    def _ended(self, message: str, code: int) -> NfError:
        """The error for an NF that ended too early."""
        log = tail(self._log)
        hints = [advice(log), self._by_itself() if died_by_signal(code) else None]
        return NfError(message, log=log, hint="\n".join(hint for hint in hints if hint) or None)

    def _by_itself(self) -> str:
        """How to run the NF without nalm: its run directory is the current directory."""
        command = shlex.join(argument.replace("{run_dir}", ".") for argument in self._how.command)
        return f"to run it without nalm, in an empty directory (`gdb --args` shows where it ends): {command}"

    def _still_waiting(self, what: str, waited: float, limit: float, seen: str = "") -> str:
        """A report with the NF's last lines, and what to try."""
        lines = [f"the NF {what} for {waited:.0f} s; it has {limit:g} s{seen}"]
        log = tail(self._log, LINES_REPORTED)
        lines += [f"  | {line}" for line in log.splitlines()]
        hints = [advice(self.log_tail()), *self._late_hints()]
        lines += [f"  try: {hint}" for hint in hints if hint]
        return "\n".join(lines)

    def _late(self, message: str) -> NfError:
        log = tail(self._log)
        hints = [advice(log), *self._late_hints(), "its command is: " + " ".join(self._command)]
        return NfError(message, log=log, hint="\n".join(hint for hint in hints if hint))

    def _late_hints(self) -> list[str]:
        """Further hints for an NF that is late."""
        return []

    @staticmethod
    def _reached(condition: Callable[[], bool]) -> bool:
        with contextlib.suppress(ProbeError):
            return condition()
        return False


def resident_memory(pid: int) -> tuple[int, int] | None:
    """Resident bytes of a process on small pages and on huge pages; None if the kernel does not report it."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    bytes_of = {
        name: int(value.split()[0]) * 1024
        for name, _, value in (line.partition(":") for line in text.splitlines())
        if value.endswith(" kB")
    }
    huge = sum(bytes_of.get(name, 0) for name in ("Shared_Hugetlb", "Private_Hugetlb"))  # not in Rss
    transparent = sum(bytes_of.get(name, 0) for name in ("AnonHugePages", "ShmemPmdMapped", "FilePmdMapped"))
    if "Rss" not in bytes_of:
        return None
    return max(0, bytes_of["Rss"] - transparent), huge + transparent


def nf_environment(directory: Path) -> dict[str, str]:
    """Variables that every NF gets: a few of the agent's, and those that pin its libraries' choices."""
    passed = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    return passed | PINNED | {"XDG_RUNTIME_DIR": str(directory), "TMPDIR": str(directory)}


def _prefer(pid: int) -> None:
    """Raises a process and, where the kernel groups by session, its session (sched(7), autogroup)."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))


def describe_exit(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"signal {-code} ({signal.Signals(-code).name})"
    return f"signal {-code}"


def died_by_signal(code: int) -> bool:
    """True if a signal ended a program, or the last program that a shell ran."""
    return code < 0 or _SHELLS_SIGNALS < code < _SHELLS_SIGNALS + signal.NSIG
