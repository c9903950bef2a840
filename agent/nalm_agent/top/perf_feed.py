# SPDX-License-Identifier: Apache-2.0
"""Views of any process by perf's samples: the C functions in which its threads spend their time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from nalm_agent.counters import perf
from nalm_agent.counters.perf_process import PerfProcess
from nalm_agent.counters.perf_script_parse import CALLERS_FIELDS, Sample, parse_callers
from nalm_agent.runtime.errors import SourceError, UsageError
from nalm_agent.store.home import Home
from nalm_agent.top.process_name import name_of
from nalm_agent.top.view import FunctionView, View

SHOWN = 20
FREQUENCY_HZ = 99
"""Samples per second of each thread, few enough for an overhead below 1 % in a virtual machine."""
NO_PACKETS = "perf sees time, not packets: include the probe (nalm_probe.h), or use --telemetry with DPDK"


class PerfFeed:
    """perf on one process, attached again for each view."""

    def __init__(self, pid: int) -> None:
        """Raises UsageError if there is no such process, SourceError if perf cannot sample here."""
        if (reason := perf.profile_available()) is not None:
            raise SourceError(
                f"perf cannot sample: {reason}", hint="`nalm doctor` shows what this host can measure"
            )
        if (name := name_of(pid)) is None:
            raise UsageError(
                f"there is no process {pid}", hint="`nalm top --perf` needs the number of a running process"
            )
        self._name, self.pid = name, pid
        self._event = perf.profile_event()
        self._stack = ExitStack()
        self._work = self._stack.enter_context(Home.default().work())

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        if not Path(f"/proc/{self.pid}").exists():
            return None
        folder = self._work.fresh("perf")
        data = folder / "data"
        arguments = ["record", "-q", "-e", self._event, "-F", str(FREQUENCY_HZ), "-o", str(data)]
        with PerfProcess([*arguments, "-p", str(self.pid)], folder) as process:
            process.enable()
            begin = time.monotonic()
            wait(seconds)
            process.disable()
            elapsed = time.monotonic() - begin
            process.finish()
        samples = parse_callers(perf.script(data, "--no-inline", "-F", CALLERS_FIELDS))
        data.unlink()
        return self._view(samples, elapsed)

    def close(self) -> None:
        self._stack.close()

    def _view(self, samples: Sequence[Sample], seconds: float) -> View:
        counts = Counter((_function(sample), sample.object) for sample in samples)
        return View(
            source="perf",
            unix_s=time.time(),
            nf=self._name,
            pid=self.pid,
            seconds=seconds,
            functions=[
                FunctionView(name=name, object=of, share=count / len(samples))
                for (name, of), count in counts.most_common(SHOWN)
            ],
            missing=dict.fromkeys(("pps", "cpp", "cur", "ipp", "eipc"), NO_PACKETS),
        )


def _function(sample: Sample) -> str:
    """The function's name. An object without symbols counts as one function."""
    name = sample.chain[0]
    return "[no symbols]" if name.startswith(f"{sample.object}+0x") else name
