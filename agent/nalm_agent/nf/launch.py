# SPDX-License-Identifier: Apache-2.0
"""One running NF with a probe: started behind a closed gate, run in turns, ended cleanly."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nalm_core.report.run_report import LcoreTurn, StageCounters, StageInfo
from nalm_core.text.amounts import amount

from nalm_agent.nf.batches import BatchSnapshot, batch_snapshot
from nalm_agent.nf.gate import Gate
from nalm_agent.nf.known_failures import (
    FLUSHES,
    GAVE_UP,
    HUNG,
    LEFT_THE_FOREGROUND,
    LENT_PROBE_BLAMED,
    LENT_PROBE_STUCK,
    MORE_LCORES,
    NO_LENT_PROBE,
    PANIC,
    PIPELINE,
    POLLS_ON,
    PROBE_AGAIN,
    advice,
    flushes,
)
from nalm_agent.nf.long_iterations import long_iterations
from nalm_agent.nf.nf_process import REPORT_SECONDS, NfProcess, describe_exit, nf_environment
from nalm_agent.nf.probe import (
    LcoreState,
    ProbeFile,
    Snapshot,
    buffers_in_use,
    lcore_counters,
    lcore_turns,
    stage_counters,
)
from nalm_agent.nf.probe_layout import MAGIC
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.turns import TurnCounters
from nalm_agent.runtime.child import Child
from nalm_agent.runtime.errors import NalmError, NfError, ProbeError
from nalm_agent.runtime.process import start, stop, tail
from nalm_agent.store.home import WorkDir

FINISH_SECONDS = 10.0
PARK_SECONDS = 10.0
PACKETS_SECONDS = 60.0
"""Time limit of a turn that packets end."""
STALL_SECONDS = 10.0
"""Time without a packet, in a turn that packets end, after which the NF counts as stopped."""
LOOK_SECONDS = 0.2
"""Time between two readings of the number of packets."""


class SlowTurnError(NalmError):
    """A turn that packets end took too long, although the NF continued forwarding."""


class RunningNf(NfProcess):
    """An NF process and its probe. A context manager, which always ends the process on exit."""

    def __init__(
        self,
        how: NfStart,
        work: WorkDir,
        *,
        seed: int,
        events: Sequence[str] = (),
    ) -> None:
        """seed: of its tables. events: PAPI's names of hardware events that the probe reads per stage.

        Its gate is open until it is set up.
        """
        path = work.memory / f"run-{secrets.token_hex(4)}.probe"
        of_probe = {
            "NALM_PROBE_FILE": str(path),
            "NALM_PROBE_GATE": "open" if how.setup else "closed",
            "NALM_PROBE_SEED": str(seed),
        }
        if events:
            of_probe["NALM_PROBE_EVENTS"] = ",".join(events)
        self._probe_path = path
        self._lent = "LD_PRELOAD" in how.environment
        self._setup: Child | None = None
        """What set it up. Processes that this left, such as a daemon, run as long as the NF."""
        self._setup_log: Path | None = None
        """What run.setup printed, while it runs."""
        self._stalled: _Progress | None = None
        """Of a turn that packets end, once none has passed for too long."""
        self._lcores: int | None = None
        """At the gate when it was ready."""
        self.probe: ProbeFile
        self.gate: Gate | None = None
        super().__init__(replace(how, environment={**of_probe, **how.environment}), work)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        if self._setup is not None:
            stop(self._setup)
        if self.gate is not None:
            self.gate.release()
            self.gate = None
            self.probe.close()
        with contextlib.suppress(OSError):
            self._probe_path.unlink()

    def wait_ready(self) -> None:
        """Waits until the probe exists and every lcore waits at the gate; sets the NF up before."""
        if self._how.setup:
            self._set_up()
        self._wait(self._has_magic, self._how.ready_seconds, "did not open its probe")
        self.probe = ProbeFile(self._probe_path, writable=True)
        self.gate = Gate(self.probe)
        self.gate.close()
        self._wait(
            self._all_parked,
            self._how.ready_seconds,
            f"did not bring {amount(self._how.lcores, 'lcore')} to the gate",
        )
        self._lcores = len(self.probe.states())

    def _set_up(self) -> None:
        """Runs the command that sets the NF up. Raises NfError."""
        log = self.directory / "setup.log"
        command = self.in_run_dir(self._how.setup)
        setup = start(command, cwd=self.directory, env=nf_environment(self.directory), log=log)
        self._setup, self._setup_log = setup, log
        try:
            self._wait(
                lambda: setup.poll() is not None, self._how.ready_seconds, "was not set up by run.setup"
            )
        except NfError as error:
            raise NfError(error.message, log=tail(log) or error.log, hint=error.hint) from error
        finally:
            self._setup_log = None
        if setup.returncode:
            printed = tail(log)
            hints = [advice(printed), f"its command is: {shlex.join(command)}"]
            raise NfError(
                f"run.setup ended with {describe_exit(setup.returncode)}",
                log=printed,
                hint="\n".join(hint for hint in hints if hint),
            )

    def turn(
        self,
        *,
        milliseconds: float = 0,
        packets: int = 0,
        limit_seconds: float | None = None,
        stall_seconds: float = STALL_SECONDS,
        passed: Callable[[int], None] = lambda packets: None,
    ) -> None:
        """One turn, ended by time or by packets per lcore; returns when every lcore has parked.

        passed: receives the number of packets so far, while packets end the turn.
        Raises SlowTurnError if packets did not end it within the limit, NfError if they stopped passing.
        """
        assert self.gate is not None
        limit = limit_seconds or (PACKETS_SECONDS if packets else PARK_SECONDS)
        if not packets:
            with self.opened(limit):
                time.sleep(milliseconds / 1000)
            return
        number = self._begin_turn(packets, limit)
        watch = _Progress(self.snapshot, passed)
        self._wait_for_packets(watch, number, limit, stall_seconds)
        self.gate.close()

    @contextlib.contextmanager
    def opened(self, limit_seconds: float = PARK_SECONDS, *, bare: bool = False) -> Iterator[None]:
        """One turn, as long as the context: it begins when every lcore has, and ends when all have parked.

        bare: without marks.
        """
        assert self.gate is not None
        number = self._begin_turn(0, limit_seconds, bare=bare)
        try:
            yield
        finally:
            self.gate.close()
        self._wait(lambda: self._parked(number), limit_seconds, f"did not end turn {number}")

    def _begin_turn(self, packets: int, limit: float, *, bare: bool = False) -> int:
        gate = self.gate
        assert gate is not None
        self._stalled = None
        number = gate.open(packets, bare=bare)

        def entered() -> bool:
            found = all(
                state is not LcoreState.PARKED or parked == number for state, parked in self.probe.states()
            )
            if not found:
                gate.wake()
            return found

        # The clock starts when the lcores do: a gate that closes before they wake would skip the turn.
        self._wait(entered, limit, f"did not begin turn {number}")
        return number

    def _parked(self, number: int) -> bool:
        states = self.probe.states()
        return all(state is LcoreState.PARKED and turn == number for state, turn in states)

    def _wait_for_packets(self, watch: _Progress, number: int, limit: float, stall: float) -> None:
        begin = time.monotonic()

        def parked() -> bool:
            return self._parked(number)

        def over() -> bool:
            without = watch.seconds_without()
            if without > REPORT_SECONDS and self._stalled is None:
                self._stalled = watch
                what = f"passed no packet after {watch.seen:,}"
                self._how.say(self._still_waiting(what, without, stall, self._held()))
            return without > stall or time.monotonic() - begin > limit

        while not (parked() or over()):
            code = self._process.poll()
            if code is not None and not parked():
                message = f"the NF did not end turn {number}: it ended with {describe_exit(code)}"
                raise self._ended(message, code)
            self._pause(time.monotonic() - begin)
        if parked():
            return
        if watch.seconds_without() > stall:
            self._stalled = watch
            raise self._late(
                f"the NF did not end turn {number}: it stopped after {watch.seen:,} packets, none passed in "
                f"the last {stall:g} s{self._held()}"
            )
        raise SlowTurnError(f"the NF did not end turn {number} within {limit:g} s, but continued forwarding")

    def _held(self) -> str:
        held = None
        with contextlib.suppress(ProbeError):
            held = buffers_in_use(self.snapshot())
        return "" if held is None else f"; it held {held:,} packet buffers when a turn last ended"

    def mapped_files(self) -> frozenset[Path] | None:
        """Files mapped now; None if they do not show what runs, or if the process is not the NF."""
        found = super().mapped_files()
        return found if found is not None and self._probe_path.resolve() in found else None

    @property
    def stages(self) -> list[StageInfo]:
        """The probe's stages, in the order in which packets pass them."""
        return self.probe.stages

    def long_iterations(self, counters: Mapping[str, StageCounters]) -> str | None:
        """A sentence if iterations were too long for the probe to keep batches apart; else None.

        counters: of the only turn so far, by stage.
        """
        return long_iterations(self.probe, self.snapshot(), counters, lent=self._lent)

    @property
    def has_bare_turns(self) -> bool:
        """Whether the NF has turns without marks."""
        return self.probe.has_bare_turns

    def count_lengths(self, cycles: int) -> None:
        """From the next turn on, marks of at least so many cycles are counted by length; 0: none."""
        assert self.gate is not None
        self.gate.count_lengths(cycles)

    def bare_turn(self, milliseconds: float) -> list[LcoreTurn]:
        """Runs one turn without marks, and returns what it has of each lcore."""
        before = self.snapshot()
        with self.opened(bare=True):
            time.sleep(milliseconds / 1000)
        return lcore_turns(before, self.snapshot())

    def counted_turn(self, milliseconds: float = 0, *, packets: int = 0) -> TurnCounters:
        """Runs one turn, ended by time or by packets per lcore, and returns its counters."""
        before = self.snapshot()
        self.turn(milliseconds=milliseconds, packets=packets)
        after = self.snapshot()
        return TurnCounters(
            lcore_counters(before, after),
            stage_counters(self.stages, before, after),
            buffers_in_use(after),
        )

    def batches(self) -> BatchSnapshot:
        """Batches so far, by size."""
        return batch_snapshot(self.probe)

    def snapshot(self) -> Snapshot:
        """The current counters. Raises NfError if it has other lcores than when it was ready."""
        found = self.probe.snapshot()
        now, then = len(found.blocks), self._lcores
        if then is not None and now != then:
            raise NfError(
                f"the NF has {amount(now, 'lcore')}, and had {then} when it was ready",
                log=tail(self._log),
                hint=MORE_LCORES.format(now) if now > then else PROBE_AGAIN,
            )
        return found

    def finish(self) -> None:
        """Ends the NF. Raises NfError if it does not end or ends with an error."""
        assert self.gate is not None
        self.gate.finish()
        try:
            code = self._process.wait(timeout=FINISH_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise NfError("the NF did not end after its gate was finished", log=tail(self._log)) from error
        if code != 0:
            raise self._ended(f"the NF ended with {describe_exit(code)}", code)

    def _has_magic(self) -> bool:
        try:
            with self._probe_path.open("rb") as file:
                return int.from_bytes(file.read(4), "little") == MAGIC
        except FileNotFoundError:
            return False

    def _all_parked(self) -> bool:
        states = self.probe.states()
        return len(states) >= self._how.lcores and all(state is LcoreState.PARKED for state, _ in states)

    def _ended(self, message: str, code: int) -> NfError:
        error = super()._ended(message, code)
        if code == 0 and self.gate is None:
            error.hint = "\n".join(one for one in (error.hint, LEFT_THE_FOREGROUND) if one)
        if gave_up := self._lent and GAVE_UP.search(error.log or ""):
            return NfError(
                f"{message}: the probe lent to it gave up: {gave_up[1]}", log=error.log, hint=error.hint
            )
        return error

    def _by_itself(self) -> str:
        blamed = self._lent and not PANIC.search(self.log_tail())
        return f"{LENT_PROBE_BLAMED}\n{super()._by_itself()}" if blamed else super()._by_itself()

    def _late_hints(self) -> list[str]:
        if self._setup_log is not None:
            last = tail(self._setup_log, 1) or "nothing"
            return [f"run.setup has not ended; it last printed: {last}"]
        if self._stalled is not None and self._stalled.hung() == 0:
            return [POLLS_ON]
        if not self._lent:
            return [HUNG] if self._stalled is not None else []
        if self.gate is None:
            return [NO_LENT_PROBE]
        arrived = len(self.probe.states())
        if arrived < self._how.lcores:
            return [f"{arrived} of {amount(self._how.lcores, 'lcore')} receive from a port; {PIPELINE}"]
        hints = [HUNG] if self._stalled is not None else []
        return [*hints, LENT_PROBE_STUCK, *([FLUSHES] if flushes(self._how.command) else [])]


class _Progress:
    """Measures how long no packet has passed; the counters are read every LOOK_SECONDS."""

    def __init__(self, look: Callable[[], Snapshot], passed: Callable[[int], None]) -> None:
        self._look, self._passed = look, passed
        self.seen = 0
        """Packets since the start."""
        self._then = self._last = list[int]()
        """Iterations of each lcore at the look that last saw a packet pass, and at the last look."""
        self._grew = self._looked = time.monotonic()

    def seconds_without(self) -> float:
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            with contextlib.suppress(ProbeError):
                blocks = [block[0] for block in self._look().blocks]
                count = sum(int(block["packets"]) for block in blocks)
                self._last = [int(block["iterations"]) for block in blocks]
                self._then = self._then or self._last
                if count != self.seen:
                    self.seen, self._grew, self._then = count, now, self._last
                    self._passed(count)
        return now - self._grew

    def hung(self) -> int:
        """Number of lcores that have ended no iteration since a packet last passed."""
        return sum(then == last for then, last in zip(self._then, self._last, strict=False))
