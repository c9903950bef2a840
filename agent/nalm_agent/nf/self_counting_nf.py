# SPDX-License-Identifier: Apache-2.0
"""A running NF with its own counters instead of a probe. It is stopped, continued, and read by commands.

A turn: continue, clear the figures, wait, show them, stop. Between turns all its processes are stopped, so
that the other arm has the CPUs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatchcase

from nalm_core.imports.figures import ImportFailedError
from nalm_core.report.run_report import LcoreCounters, StageInfo
from nalm_core.text.amounts import amount

from nalm_agent.nf.batches import BatchSnapshot
from nalm_agent.nf.nf_process import NfProcess, describe_exit
from nalm_agent.nf.polling_thread import Scheduled, scheduled_threads
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.turns import TurnCounters
from nalm_agent.runtime.errors import NfError
from nalm_agent.self_counting.commands import CounterCommands
from nalm_agent.self_counting.reported import Reported, ReportedLcore
from nalm_agent.store.home import WorkDir

ANSWER_SECONDS = 10.0
ASK_AGAIN_SECONDS = 0.1
"""Pause between two commands until it is ready: each starts a program, maybe on the NF's own CPU."""
TRIES = 3
"""Attempts at a turn: Open vSwitch 3.1.0 may print `-nan` once after its start."""
NO_CPU_SECONDS = 5.0
"""Further attempts during this time: a busy host may give the NF no CPU for a whole turn."""
LAST_CHARACTERS = 2000
"""Characters that an error shows of a useless answer."""


class NothingReportedError(NfError):
    """The NF answered, but its figures cannot be read."""


class SelfCountingNf(NfProcess):
    """An NF process with its own counters."""

    poll_seconds = ASK_AGAIN_SECONDS

    def __init__(self, how: NfStart, work: WorkDir, counter_commands: CounterCommands) -> None:
        self._commands = counter_commands
        self._last_answer = "no command was run"
        self.stages: list[StageInfo] = []
        super().__init__(how, work)

    def wait_ready(self) -> None:
        """Waits until it shows figures of all lcores, and then stops it."""
        self._wait(
            self._tells,
            self._how.ready_seconds,
            f"did not show figures of {amount(self._how.lcores, 'lcore')}",
        )
        self._signal(signal.SIGSTOP)

    def counted_turn(self, milliseconds: float) -> TurnCounters:
        """Runs one turn, and repeats it if its answer has no figures. The NF reports the turn's length; the
        kernel reports the share of the time between the commands that a thread had its CPU."""
        ends = time.monotonic() + NO_CPU_SECONDS
        attempts = 0
        while True:
            attempts += 1
            try:
                return self._turn(milliseconds)
            except NothingReportedError:
                if attempts >= TRIES and time.monotonic() > ends:
                    raise

    def _turn(self, milliseconds: float) -> TurnCounters:
        with self._continued():
            self._ask(self._commands.clear)
            before, begin = scheduled_threads(self.pid), time.monotonic_ns()
            time.sleep(milliseconds / 1000)
            after, end = scheduled_threads(self.pid), time.monotonic_ns()
            reported = self._report()
        since = {name: one.since(before[name]) for name, one in after.items() if name in before}
        lcores = [_lcore(one, thread_of(one, since), end - begin) for one in reported.lcores]
        return TurnCounters(lcores, reported.counters)

    def batches(self) -> BatchSnapshot:
        """None: its figures do not have them."""
        return BatchSnapshot()

    def finish(self) -> None:
        """Raises NfError if the NF has ended by itself. The context manager kills it on exit."""
        code = self._process.poll()
        if code is not None:
            raise NfError(f"the NF ended with {describe_exit(code)}", log=self.log_tail())

    def answering(self) -> AbstractContextManager[None]:
        """All its processes are stopped between turns."""
        return self._continued()

    @contextmanager
    def _continued(self) -> Iterator[None]:
        self._signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._signal(signal.SIGSTOP)

    def _signal(self, number: signal.Signals) -> None:
        self.finish()
        os.killpg(self.pid, number)

    def _tells(self) -> bool:
        try:
            return len(self._report().lcores) >= self._how.lcores
        except NfError as error:
            self._last_answer = error.message
            return False

    def _report(self) -> Reported:
        answer = self._ask(self._commands.show)
        try:
            reported = self._commands.figures.parse(answer)
        except ImportFailedError as error:
            said = f"{error}; it said: {answer[-LAST_CHARACTERS:].strip()}"
            raise NothingReportedError(
                f"{' '.join(self._commands.show)}: {said}", log=self.log_tail()
            ) from error
        self.stages = reported.stages
        return reported

    def _ask(self, command: Sequence[str]) -> str:
        """The output of a command. Raises NfError if it fails or does not end."""
        try:
            done = subprocess.run(
                self.in_run_dir(command),
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_SECONDS,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            said = f"{error.stdout}{error.stderr}"[-LAST_CHARACTERS:].strip()
            message = f"{' '.join(command)} ended with {describe_exit(error.returncode)}: {said}"
            raise NfError(message, log=self.log_tail()) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NfError(f"the command for the NF's figures failed: {error}", log=self.log_tail()) from error
        return done.stdout

    def _late_hints(self) -> list[str]:
        return [f"last output of the command for its figures: {self._last_answer}"]


def thread_of(lcore: ReportedLcore, threads: Mapping[str, Scheduled]) -> Scheduled:
    """The lcore's thread among those of the NF, by name. Raises NfError if there is none."""
    for name, one in threads.items():
        if fnmatchcase(name, lcore.thread):
            return one
    raise NfError(
        f"no thread {lcore.thread} is below the process that was started",
        hint="run.command must stay in the foreground with all it starts: no --detach, no daemon",
    )


def _lcore(reported: ReportedLcore, thread: Scheduled, window_ns: int) -> LcoreCounters:
    wall_ns = round(reported.seconds * 1e9)
    return LcoreCounters(
        lcore=reported.lcore,
        packets=reported.packets,
        busy_cycles=reported.busy_cycles,
        idle_cycles=reported.idle_cycles,
        apart_cycles=0,
        turn_wall_ns=wall_ns,
        turn_cpu_ns=max(0, round(wall_ns * (1 - thread.waited_ns / window_ns))),
        involuntary_switches=thread.involuntary_switches,
        voluntary_switches=thread.voluntary_switches,
        minor_faults=thread.minor_faults,
        major_faults=thread.major_faults,
    )
