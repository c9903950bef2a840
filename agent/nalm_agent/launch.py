# SPDX-License-Identifier: Apache-2.0
"""One running NF: started behind a closed gate, run in turns, ended cleanly."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from nalm_agent.errors import NfError, ProbeError
from nalm_agent.gate import Gate
from nalm_agent.home import WorkDir
from nalm_agent.probe import MAGIC, LcoreState, ProbeFile, Snapshot
from nalm_agent.process import start, stop, tail
from nalm_agent.run_plan import PINNED
from nalm_agent.snags import LENT_PROBE_STUCK, NO_LENT_PROBE, advice

POLL_SECONDS = 0.0002
POLL_LONG_SECONDS = 0.005
POLL_LONG_AFTER_SECONDS = 0.5
NICE = -20
"""Priority of a measured NF where the agent may set it: other programs on its CPU take next to nothing."""
FINISH_SECONDS = 10.0
PARK_SECONDS = 10.0


class RunningNf:
    """An NF process and its probe. A context manager: whatever happens, the process is gone afterwards."""

    def __init__(
        self,
        command: Sequence[str],
        work: WorkDir,
        *,
        lcores: int,
        seed: int,
        ready_seconds: float,
        pin: Sequence[int] = (),
        urgent: bool = False,
        events: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """pin: CPUs to bind the process to; empty for one that binds itself.

        urgent: before every other program on its CPUs; not where the agent itself has to run there.
        events: hardware events, by PAPI's names, the probe is asked to read per stage.
        environment: variables of the NF beside the probe's.
        """
        self._lcores = lcores
        self._cwd = work.fresh("run")
        self._log = self._cwd / "nf.log"
        self._probe_path = work.memory / f"{self._cwd.name}.probe"
        self._ready_seconds = ready_seconds
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        env |= PINNED
        env |= {
            "NALM_PROBE_FILE": str(self._probe_path),
            "NALM_PROBE_GATE": "closed",
            "NALM_PROBE_SEED": str(seed),
            "XDG_RUNTIME_DIR": str(self._cwd),
            "TMPDIR": str(self._cwd),
        }
        if events:
            env["NALM_PROBE_EVENTS"] = ",".join(events)
        env |= environment or {}
        self._lent = "LD_PRELOAD" in (environment or {})
        bound = ["taskset", "--cpu-list", ",".join(map(str, pin))] if pin else []
        self._command = [*bound, *command]
        self.probe: ProbeFile
        self.gate: Gate | None = None
        try:
            self._process = start(self._command, cwd=self._cwd, env=env, log=self._log)
        except OSError as error:
            raise NfError(f"the NF could not be started: {error}") from error
        if urgent:
            _prefer(self._process.pid)

    def __enter__(self) -> RunningNf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop(self._process)
        if self.gate is not None:
            self.gate.release()
            self.gate = None
            self.probe.close()
        with contextlib.suppress(OSError):
            self._probe_path.unlink()

    def wait_ready(self) -> None:
        """Waits until the probe is there and every lcore waits at the gate."""
        self._wait(self._has_magic, self._ready_seconds, "did not open its probe")
        self.probe = ProbeFile(self._probe_path, writable=True)
        self.gate = Gate(self.probe)
        self._wait(
            self._all_parked, self._ready_seconds, f"did not bring {self._lcores} lcore(s) to the gate"
        )

    def turn(self, *, milliseconds: float = 0, packets: int = 0, limit_seconds: float = PARK_SECONDS) -> None:
        """One turn, ended by time or by packets per lcore; returns when every lcore has parked."""
        assert self.gate is not None
        number = self.gate.open(packets)

        def entered() -> bool:
            return all(
                state is not LcoreState.PARKED or parked == number for state, parked in self.probe.states()
            )

        def parked() -> bool:
            states = self.probe.states()
            return all(state is LcoreState.PARKED and turn == number for state, turn in states)

        # The clock starts when the lcores do: a gate closed before they woke would be a turn that never was.
        self._wait(entered, limit_seconds, f"did not begin turn {number}")
        if milliseconds:
            time.sleep(milliseconds / 1000)
            self.gate.close()
        self._wait(parked, limit_seconds, f"did not end turn {number}")
        self.gate.close()

    @property
    def pid(self) -> int:
        """The process that was started; the NF is it or its descendant."""
        return self._process.pid

    def snapshot(self) -> Snapshot:
        """The counters as they stand."""
        return self.probe.snapshot()

    def log_tail(self) -> str:
        """The last lines the NF wrote."""
        return tail(self._log)

    def finish(self) -> None:
        """Ends the NF. Raises NfError if it does not end, or not well."""
        assert self.gate is not None
        self.gate.finish()
        try:
            code = self._process.wait(timeout=FINISH_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise NfError("the NF did not end when its gate said finish", log=tail(self._log)) from error
        if code != 0:
            raise NfError(f"the NF ended with {describe_exit(code)}", log=tail(self._log))

    def _has_magic(self) -> bool:
        try:
            with self._probe_path.open("rb") as file:
                return int.from_bytes(file.read(4), "little") == MAGIC
        except FileNotFoundError:
            return False

    def _all_parked(self) -> bool:
        states = self.probe.states()
        return len(states) >= self._lcores and all(state is LcoreState.PARKED for state, _ in states)

    def _wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        begin = time.monotonic()
        while not condition():
            code = self._process.poll()
            if code is not None and not self._reached(condition):
                log = tail(self._log)
                raise NfError(
                    f"the NF {what}: it ended with {describe_exit(code)}", log=log, hint=advice(log)
                )
            waited = time.monotonic() - begin
            if waited > seconds:
                raise self._late(f"the NF {what} within {seconds:g} s")
            time.sleep(POLL_SECONDS if waited < POLL_LONG_AFTER_SECONDS else POLL_LONG_SECONDS)

    def _late(self, message: str) -> NfError:
        log = tail(self._log)
        hints = [advice(log) or "", "its command is: " + " ".join(self._command)]
        if self._lent:
            hints.insert(1, LENT_PROBE_STUCK if self.gate else NO_LENT_PROBE)
        return NfError(message, log=log, hint="\n".join(hint for hint in hints if hint))

    @staticmethod
    def _reached(condition: Callable[[], bool]) -> bool:
        with contextlib.suppress(ProbeError):
            return condition()
        return False


def _prefer(pid: int) -> None:
    """Raises a process and, where the kernel groups by session, its session (sched(7), autogroup)."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))


def describe_exit(code: int) -> str:
    """An exit code in words."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"
