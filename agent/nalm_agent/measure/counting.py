# SPDX-License-Identifier: Apache-2.0
"""Exact instruction counts and modelled caches of all arms, on several CPUs at once. The store keeps each."""

from __future__ import annotations

import os
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from nalm_core.report.defaults import INSTRUCTION_CHANGE
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, InstructionCount, Source
from nalm_core.text.commit_name import short

from nalm_agent.build.equal_code import Loaded, loaded_of_host
from nalm_agent.config.nalm_toml import Config
from nalm_agent.counters import simulated
from nalm_agent.counters.model_caches import host_caches
from nalm_agent.host.cores import Cores
from nalm_agent.host.cpu_choices import PINNED, SIMD_BITS
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.rounds import TryOut
from nalm_agent.native.toolchain import toolchain
from nalm_agent.nf.known_failures import not_under_valgrind
from nalm_agent.nf.run_plan import LENT_RECEIVE
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.runtime.process import stop_all
from nalm_agent.runtime.signal_guard import SignalGuard
from nalm_agent.source.source_files import count_in
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import Store, address

T = TypeVar("T")
C = TypeVar("C", InstructionCount, ModelCount)

COUNTS = "counts"
COUNT_RUNS = "count-runs"
"""The run that made each kept count. Counts of one run are of one state of the host."""
OTHER_THAN_KEPT = (
    "instructions were counted again, and are other than those kept from an earlier run: what the NF reads "
    "on this host, such as a configuration, has changed since, or its counts do not repeat"
)
RECORDED = (
    "instructions by stage, function (40 a stage), call path (callers named alike) and line, and names "
    "of all functions executed, as people write them without versions, of its lcores, whose slices end "
    "at polls"
)
"""The contents of a kept count. Part of its address, since earlier counts held less, or counted waiting."""
MODELLED = "events of caches and branches by stage"
"""The same of a kept model."""
READY_FLOOR_SECONDS = 2.0
"""Added to the time that the NF took to get ready, before it is scaled up for valgrind."""
COUNTING = 0.15
"""Share of the progress while instructions are counted."""
MODELLING = 0.97
"""The same while caches and branches are modelled."""
STOPPING_SECONDS = 0.1
"""Time between two attempts to stop the arms' processes after one count failed."""


@dataclass(frozen=True)
class Counting:
    """Where and how instructions are counted."""

    home: Home
    work: WorkDir
    cores: Cores
    """The measurement's CPUs, which are idle while instructions are counted."""
    traffic: Path | None
    config: Config
    progress: Progress

    def simulation(
        self, ready: Ready, tried: TryOut, cpu: int, passed: Callable[[int], None]
    ) -> simulated.Simulation:
        """How to run an arm under valgrind on one CPU."""
        lent = ready.run.lent
        lcores = ready.run.scenario.lcores if lent else 1
        core = Cores((cpu,) * lcores)
        return simulated.Simulation(
            replace(
                ready.start(self.traffic, core, ready.environment(self.home), huge_pages=False),
                ready_seconds=READY_FLOOR_SECONDS + tried.ready_seconds,
                say=self.progress.say,
            ),
            self.work,
            self.config.stage_functions(),
            passed=passed,
            threads_of=LENT_RECEIVE if lent else None,
            build=ready.built.directory,
        )

    def count_address(self, ready: Ready, tried: TryOut, loads: Loaded | None) -> str | None:
        """Digest of all that an instruction count depends on: of a build what a run loads, if that is known.
        None if the try-out does not show which files of the host run."""
        if tried.mapped is None:
            return None
        run, functions = ready.run, self.config.stage_functions()
        return address(
            sorted(loads.items()) if loads is not None else ready.built.build.tree,
            loaded_of_host(ready.built, tried.mapped, self.work.disk),
            run.definition.model_dump(mode="json"),
            run.scenario.packets,
            run.scenario.lcores,
            functions.named,
            functions.parts,
            simulated.valgrind_version(),
            toolchain().identity(),
            PINNED,
            SIMD_BITS,
            RECORDED,
        )

    def model_address(self, ready: Ready, tried: TryOut, loads: Loaded | None) -> str | None:
        """Digest of all that a model of caches and branches depends on; None as for `count_address`."""
        caches = {name: cache.model_dump(mode="json") for name, cache in host_caches().items()}
        count = self.count_address(ready, tried, loads)
        if count is None:
            return None
        state = host_state(self.home.store(), count)["state"]
        return address(count, state, MODELLED, simulated.MODEL_PACKETS, caches)

    def counted(self, ready: Ready) -> Callable[[int], None]:
        """Reports how many packets of an arm are counted."""
        packets = ready.run.scenario.packets
        return self._passed("instructions", short(ready.built.build.commit), packets, COUNTING)

    def modelled(self, ready: Ready) -> Callable[[int], None]:
        """Reports how many packets of an arm passed through modelled caches."""
        what = f"caches and branches of {short(ready.built.build.commit)}"
        return self._passed("explain", what, simulated.MODEL_PACKETS, MODELLING)

    def _passed(self, step: str, what: str, packets: int, fraction: float) -> Callable[[int], None]:
        return lambda done: self.progress.step(step, f"{what}: {done:,} of {packets:,} packets", fraction)


def count_all(
    counting: Counting,
    arms: Mapping[Arm, Ready],
    tried: Mapping[Arm, TryOut],
    loads: Mapping[Arm, Loaded | None],
    builder: ReportBuilder,
) -> list[InstructionCount]:
    """Instruction counts of all arms, or none with the reason in the builder's sources."""
    sources = builder.sources
    if sources[Source.SIMULATED] is None and not all(one.run.lent for one in arms.values()):
        sources[Source.SIMULATED] = simulated.available(
            builder.scenario_config.lcores, in_turn=counting.config.run.lcores_in_turn
        )
    if sources[Source.SIMULATED] is not None:
        return []

    store, this_run, counted_now = counting.home.store(), secrets.token_hex(8), dict[Arm, str]()
    keys = {arm: counting.count_address(ready, tried[arm], loads[arm]) for arm, ready in arms.items()}

    def count_now(arm: Arm, cpu: int) -> InstructionCount:
        ready = arms[arm]
        work = counting.simulation(ready, tried[arm], cpu, counting.counted(ready))
        found = simulated.count(arm, work, packets=ready.run.scenario.packets)
        counted_now[arm] = this_run
        return found

    def count_one(arm: Arm, cpu: int) -> InstructionCount:
        return kept(store, keys[arm], InstructionCount, arm, lambda: count_now(arm, cpu))

    try:
        counts = _of_each_arm(counting, arms, count_one)
        old = {count.arm: count for count in counts if count.arm not in counted_now}
        runs = {arm: host_state(store, keys[arm])["run"] for arm in old}
        several = old and len({*runs.values(), *counted_now.values()}) > 1
        if several and _may_be_the_hosts(counts, builder.changed_functions):
            not_now = {arm: arms[arm] for arm in old}
            again = {one.arm: one for one in _of_each_arm(counting, not_now, count_now)}
            counts = [again.get(count.arm, count) for count in counts]
            for arm, count in again.items():
                store.put_document(COUNTS, str(keys[arm]), count.model_dump(mode="json"))
                if _differ([old[arm], count]):
                    builder.notes.append(f"{arm}: {OTHER_THAN_KEPT}")
                else:
                    counted_now[arm] = host_state(store, keys[arm])["state"]
        for arm, state in counted_now.items():
            if key := keys[arm]:
                store.put_document(COUNT_RUNS, key, {"run": this_run, "state": state})
    except (NfError, SourceError) as error:
        # The same NF just ran without valgrind, so the counting is at fault.
        reason = not_under_valgrind(error.log or "")
        sources[Source.SIMULATED] = reason or f"counting failed: {error.message}"
        if reason is None:
            builder.notes.append(f"instructions were not counted: {error.full_text()}")
        return []
    return [count_in(arms[count.arm].built.source, count) for count in counts]


def model_all(
    counting: Counting,
    arms: Mapping[Arm, Ready],
    tried: Mapping[Arm, TryOut],
    loads: Mapping[Arm, Loaded | None],
    builder: ReportBuilder,
) -> list[ModelCount]:
    """Modelled caches and branches of all arms, or none with a note in the builder."""
    if builder.sources[Source.SIMULATED] is not None:
        return []

    def model_one(arm: Arm, cpu: int) -> ModelCount:
        ready = arms[arm]
        key = counting.model_address(ready, tried[arm], loads[arm])
        work = counting.simulation(ready, tried[arm], cpu, counting.modelled(ready))
        return kept(counting.home.store(), key, ModelCount, arm, lambda: simulated.model(arm, work))

    try:
        return _of_each_arm(counting, arms, model_one)
    except (NfError, SourceError) as error:
        builder.notes.append(f"caches and branches were not modelled: {error.message}")
        return []


def host_state(store: Store, key: str | None) -> dict[str, str]:
    """The run that last made a kept count, and the first of those after which it was the same."""
    document = store.document(COUNT_RUNS, key) if key else None
    return document or {"run": "", "state": ""}


def _may_be_the_hosts(counts: Sequence[InstructionCount], changed: Collection[str] | None) -> bool:
    """True if counts differ outside of changed functions and of what these call.

    changed: names of functions whose code or data differ between arms; None if they are not known.
    """
    if changed is None or not all(one.calls for one in counts):
        return _differ(counts)
    first, *others = (_outside(one, changed) for one in counts)
    return any(_apart(first, one) for one in others)


def _differ(counts: Sequence[InstructionCount]) -> bool:
    """True if a stage has other instructions per packet than in the first count."""
    return any(_apart(_by_stage(counts[0]), _by_stage(one)) for one in counts[1:])


def _apart(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    least = INSTRUCTION_CHANGE * sum(first.values())
    return any(abs(second.get(name, 0.0) - first.get(name, 0.0)) > least for name in {*first, *second})


def _by_stage(count: InstructionCount) -> dict[str, float]:
    """Instructions per packet."""
    every = {**count.stages, "": count.unattributed}
    return {stage: instructions / count.packets for stage, instructions in every.items()}


def _outside(count: InstructionCount, changed: Collection[str]) -> Mapping[str, float]:
    """The same by function, on call paths without these functions."""
    found, inside = defaultdict[str, float](float), list[bool]()
    for node in count.calls:
        inside.append(node.name in changed or (node.parent is not None and inside[node.parent]))
        if not inside[-1]:
            found[node.name] += node.own / count.packets
    return found


def kept(store: Store, key: str | None, kind: type[C], arm: Arm, count: Callable[[], C]) -> C:
    """The count that the store keeps at this address; if it has none, `count` makes it for `arm`. Without an
    address none is kept."""
    if key is None:
        return count()
    known = store.document(COUNTS, key)
    if known is not None:
        return kind.model_validate(known | {"arm": arm})
    counted = count()
    store.put_document(COUNTS, key, counted.model_dump(mode="json"))
    return counted


def _of_each_arm(counting: Counting, arms: Mapping[Arm, Ready], one: Callable[[Arm, int], T]) -> list[T]:
    """Calls `one` for each arm, on several CPUs at once."""
    cpus: SimpleQueue[int] = SimpleQueue()
    own = set(counting.cores.cpus[:1]) | set(sorted(os.sched_getaffinity(0))[:1])
    for cpu in own:
        cpus.put(cpu)

    def on_a_free_cpu(arm: Arm) -> T:
        cpu = cpus.get()
        try:
            return one(arm, cpu)
        finally:
            cpus.put(cpu)

    with ThreadPoolExecutor(max_workers=len(own)) as pool:
        counts: list[Future[T]] = []
        try:
            with SignalGuard():
                counts += [pool.submit(on_a_free_cpu, arm) for arm in arms]
            return [count.result() for count in counts]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while under_way := [count for count in counts if not count.done()]:
                stop_all()  # also what another arm was about to start
                wait(under_way, STOPPING_SECONDS)
            raise
