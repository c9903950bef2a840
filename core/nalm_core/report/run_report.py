# SPDX-License-Identifier: Apache-2.0
"""Run report, version 2: one JSON document per run, raw, nothing averaged away.

A run compares arms on one host: `base`, `head`, and, when the commit changes the scenario's feature set,
`head_as_base` (head's build run with base's feature set). What the arms' figures mean is in docs/metrics.md;
what follows from them (summary, verdict) is computed by nalm_core from this document alone, by the agent and
by the server alike, and is not stored in it.

Counters are raw differences over one turn, never ratios. A counter that could not be read is absent (None),
never 0.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.report.call_tree import CallNode, FunctionLines
from nalm_core.report.cell import ExperimentCell
from nalm_core.report.event_counts import EventCount
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.profile import Profile, ThreadCount
from nalm_core.report.source_text import SourceText
from nalm_core.report.terms import Arm, Count, Model, Name, Nanoseconds, OutcomeKind, Sha, ShortName, Source

__all__ = ["Arm", "Count", "Model", "Name", "OutcomeKind", "Sha", "Source"]
"""Of nalm_core.report.terms, and all that follows."""

OWN_PROBE: Final = "probe"
"""The NF's own probe counts."""
FAMILY: Final = "nalm.run-report/"
SCHEMA: Final = "nalm.run-report/2"
READABLE: Final = ("nalm.run-report/1", SCHEMA)
"""Version 1 lacks what version 2 may hold; nothing else differs."""

EndedBy = Literal["decision", "launches", "budget"]


class RunStatus(StrEnum):
    """What the agent could do. Whether a measured run is valid follows from its checks."""

    MEASURED = "measured"
    UNCHANGED = "unchanged"
    """Nothing to measure: the arms run alike, and what they load is equal, or its functions and data are."""
    BROKEN = "broken"
    """The NF of head did not build, start, forward or stay alive; `failure` says what was seen."""
    FAILED = "failed"
    """The host or the base could not be measured; says nothing about head."""


class StageInfo(Model):
    name: Name
    apart: bool = False
    """True for a generator or sink that shares the lcore: in neither busy nor idle cycles."""
    outcomes: dict[Name, OutcomeKind] = Field(default_factory=dict)


class Build(Model):
    commit: Sha
    dirty: bool = False
    """True when it was built from a working tree that differs from the commit."""
    tree: str
    """Content address of what was built: digest of the NF's paths, build commands and toolchain."""
    code_digest: str
    """Digest of what is loaded of every executable and shared library that the build left, and of the data
    files that nalm.toml names: equal digests run the same. Reports of before: of the artifacts alone."""
    compiler: str
    options: list[str] = Field(default_factory=list)
    build_seconds: float | None = None
    """None when the build came from the store."""
    isolation: Literal["bubblewrap", "none"] | None = None
    """What kept the build from the host, its network and its secrets; None where that was not recorded."""
    functions: str | None = None
    """Digest of the artifacts' functions wherever they lie. None where they do not tell (stripped, another
    processor)."""


def _without_default(schema: dict[str, Any]) -> None:
    """Of a field that is left out where it has its default: a reader may find none."""
    del schema["default"]


class RunDefinition(Model):
    """How an arm's NF was run. Equal code and equal run definition: nothing to measure."""

    features: list[Name]
    command: list[str]
    """Without paths of this host: they are replaced by {build}, {source}."""
    traffic: str
    """Name and digest of what was replayed."""
    counts: ShortName = Field(
        OWN_PROBE,
        exclude_if=lambda counts: counts == OWN_PROBE,
        json_schema_extra=_without_default,
    )
    """Who counts packets and cycles (nalm.toml's `run.counts`); left out where it is the NF's own probe."""

    def series_source(self, source: str) -> str:
        """What one counts is not what another does, and never stands in one series with it."""
        return source if self.counts == OWN_PROBE else f"{source}:{self.counts}"


class ArmInfo(Model):
    build: Build
    run: RunDefinition
    stages: list[StageInfo] = Field(default_factory=list)
    """In the order packets pass them; empty if the arm was never started."""


class Scenario(Model):
    name: Name
    """Stable key of the history."""
    model: Literal["rtc", "pipeline"] = "rtc"
    lcores: int = Field(ge=1)
    traffic: str
    load: Literal["closed", "open"] = "closed"


class Host(Model):
    """Fingerprint. `host_class` is what must match for two runs to share a series."""

    name: str
    host_class: str
    cpu_model: str
    cores: int = Field(ge=1)
    tsc_hz: int = Field(gt=0)
    memory_bytes: int = Field(gt=0)
    kernel: str
    os: str
    virtual: bool
    huge_pages: bool
    governor: str | None = None
    caches: dict[str, int] = Field(default_factory=dict)
    """Size in bytes by name: L1d, L2, L3."""
    pinned: dict[str, str] = Field(default_factory=dict)
    """What libraries choose by CPU at run time and was pinned alike for every source (SIMD width, ...)."""
    # None below: not known (an older report, or nothing on the host says so). report.host_match compares.
    smt: bool | None = None
    """Whether hardware threads share cores."""
    numa_nodes: int | None = Field(default=None, ge=1)
    microcode: str | None = None
    turbo: bool | None = None
    """Whether the clock may rise above its nominal rate."""
    isolated_cpus: list[int] | None = None
    """CPUs the kernel's scheduler leaves alone (isolcpus, isolated cpusets)."""
    mitigations: dict[str, str] | None = None
    """The kernel's word on each processor vulnerability that concerns this host, by its name."""
    thp: str | None = None
    """Transparent huge pages: always, madvise or never."""
    cmdline_digest: str | None = None
    """Of the kernel's command line, which may hold what is nobody's business."""
    libraries: dict[str, str] | None = None
    """Versions of what runs in an NF, by name: libc, dpdk, hyperscan."""
    latencies_ns: dict[str, Nanoseconds] | None = None
    """Time of one dependent load by level (L1d, L2, L3, memory), as `nalm doctor` last measured it here."""
    transfer_ns: dict[str, Nanoseconds] | None = None
    """Time until another CPU sees a written cache line, by pair of CPUs ("0-1"), of the same look."""
    latencies_at: datetime | None = None
    """When these were measured."""


class StageCounters(Model):
    """One stage over one turn, summed over lcores. TSC cycles, packets, batches."""

    cycles: Count
    packets: Count
    batches: Count | None = None
    """None where the NF's own figures do not tell them."""
    outcomes: dict[Name, Count] = Field(default_factory=dict)


class LcoreCounters(Model):
    """One lcore over one turn. TSC cycles, nanoseconds."""

    lcore: int = Field(ge=0)
    packets: Count
    busy_cycles: Count
    idle_cycles: Count | None = None
    """None where the NF's own figures do not tell them apart from its busy ones."""
    apart_cycles: Count
    turn_tsc_cycles: Count | None = None
    """None where nothing on the lcore read the TSC as the turn began and ended."""
    turn_wall_ns: Count
    turn_cpu_ns: Count
    involuntary_switches: Count
    voluntary_switches: Count
    minor_faults: Count
    major_faults: Count
    speed_before: int | None = Field(default=None, gt=0)
    """TSC cycles that a million dependent additions took before the turn: the TSC's rate against the core's
    frequency. None if the probe did not measure it."""
    speed_after: int | None = Field(default=None, gt=0)
    """The same after the turn."""


class Round(Model):
    """One turn of one arm in one launch."""

    launch: int = Field(ge=0)
    turn: int = Field(ge=0)
    order: int = Field(ge=0)
    """Position among the arms of this turn, 0 first: swapped from turn to turn."""
    arm: Arm
    lcores: list[LcoreCounters] = Field(min_length=1)
    stages: dict[Name, StageCounters]
    steal_ns: int | None = Field(default=None, ge=0)
    """Time the hypervisor gave to others on the host's cores meanwhile (/proc/stat)."""
    buffers_in_use: Count | None = None
    """Packet buffers the NF held when the last lcore had parked. None if it does not tell."""
    set_aside: str | None = None
    """Why this round takes no part in the analysis; None if it does."""


class ReplayedStage(Model):
    """One stage over a replay, summed over lcores."""

    packets: Count
    outcomes: dict[Name, Count] = Field(default_factory=dict)


class Replay(Model):
    """What became of a fixed number of packets of the trace, from its first one on, in a fresh process.

    The number of packets ends it, not the clock: two builds that do the same have the same figures.
    """

    arm: Arm
    number: int = Field(ge=0)
    """Of the replay, 0 first; it seeds the NF, so replays of one number place tables alike."""
    stages: dict[Name, ReplayedStage]
    under_way: list[int]
    """Packets taken in less those that ended by name, at the end of each of its equal parts."""
    buffers: list[Count] = Field(default_factory=list)
    """Packet buffers in use at the same moments. Empty if the NF does not tell."""


class BufferLook(Model):
    """The turns of a launch, or the parts of a replay, and further ones of the same process: its packet
    buffers grew."""

    arm: Arm
    launch: int = Field(ge=0)
    """Of the launch, or of the replay."""
    turns: int = Field(ge=1)
    """So many of the figures below are those of its own turns."""
    taken_in: list[Count]
    """Packets, by turn."""
    ended: list[Count]
    """Packets that ended by name, by turn."""
    buffers: list[Count]
    """In use when the turn ended."""


class ExpectedOutcome(Model):
    """A change of outcomes that head's commits declare (nalm_core.findings.expectation)."""

    stage: str = Field(min_length=1, max_length=64)
    outcome: str = Field(min_length=1, max_length=64)
    share: float = Field(gt=0, le=1)
    """Of the packets taken in, by which the outcome may grow."""
    reason: str


class FunctionCount(Model):
    """One C function under one stage: instructions of its own, without callees."""

    name: str
    instructions: Count
    calls: Count
    file: str | None = None
    """Where it is written, as its debug information says: None without."""
    line: int | None = Field(default=None, ge=1)
    """Of its first instruction."""


class InstructionCount(Model):
    """Exact instructions of one arm over a fixed number of packets of the same trace."""

    arm: Arm
    source: Source
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    stages: dict[Name, Count]
    """Instructions per stage, apart stages included under their names."""
    unattributed: Count
    """Data-path instructions outside every stage (the loop, the probe)."""
    functions: dict[Name, list[FunctionCount]] = Field(default_factory=dict)
    """Dearest functions per stage, most instructions first."""
    calls: list[CallNode] = Field(default_factory=list)
    """Instructions by call path: together those of `stages` and `unattributed`. Empty: not recorded."""
    lines: list[FunctionLines] = Field(default_factory=list)
    """Instructions by source line, of functions with debug information. Empty: not recorded."""


class Check(Model):
    """A named test of the run's own numbers; a failed one makes the run invalid."""

    name: Name
    passed: bool
    value: float | None
    limit: float | None
    message: str


class Settings(Model):
    """What the agent aimed at; thresholds the verdict is judged with."""

    margin: float = Field(gt=0, lt=1)
    """Relative change of CPP that matters; smaller is `same`."""
    alpha: float = Field(gt=0, lt=1)
    """Error rate of the whole procedure, all looks together."""
    looks: int = Field(ge=1, le=100)
    """How often the rounds were, or could have been, judged before stopping."""
    first_look: int | None = Field(default=None, ge=1)
    """Launches at the first look; the others follow in equal ratios up to max_launches. None: looks are
    evenly spread, as in version 1."""
    turn_ms: float = Field(gt=0)
    turns_per_launch: int = Field(ge=1)
    max_launches: int = Field(ge=1, le=10_000)
    budget_seconds: float | None = Field(default=None, gt=0)
    """Time after which no launch is begun; None: without limit."""


class ArmMemory(Model):
    """Resident memory of an arm's process at the end of a replay, by size of page (proc(5), smaps_rollup)."""

    arm: Arm
    small_bytes: Count
    huge_bytes: Count
    """On huge pages, transparent ones included."""


class RunReport(Model):
    schema_: Literal["nalm.run-report/1", "nalm.run-report/2"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """Made once by the agent; uploading the same run twice changes nothing."""
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    status: RunStatus
    failure: str | None = None
    """For broken and failed: what was seen, with the last lines of the log."""
    started_at: datetime
    finished_at: datetime
    settings: Settings
    arms: dict[Arm, ArmInfo]
    """Arms that could be built; an arm missing here is explained by `failure`."""
    sources: dict[Source, str | None]
    """Each counter source: None if used, else the reason it was not available."""
    tools: dict[str, str | None] = Field(default_factory=dict)
    """The same by tool: tsc, simulated (callgrind), and for the PMU papi and perf."""
    rounds: list[Round] = Field(default_factory=list)
    replays: list[Replay] = Field(default_factory=list)
    """What became of the same packets in every arm. Empty: not replayed."""
    memory: list[ArmMemory] = Field(default_factory=list)
    """Of each arm. Empty: not read."""
    buffer_looks: list[BufferLook] = Field(default_factory=list)
    """Longer looks at arms whose packet buffers grew through a launch."""
    expected_outcomes: list[ExpectedOutcome] = Field(default_factory=list)
    """Changes of outcomes that head's commits declare for this scenario."""
    instructions: list[InstructionCount] = Field(default_factory=list)
    checks: list[Check] = Field(default_factory=list)
    profiles: list[Profile] = Field(default_factory=list)
    """Where the arms' time goes, by samples taken in turns of their own after the rounds."""
    thread_counts: list[ThreadCount] = Field(default_factory=list)
    """Hardware events of the lcores' threads, in turns of their own."""
    event_counts: list[EventCount] = Field(default_factory=list)
    """Hardware events per stage as the probe read them, in launches of their own."""
    model_counts: list[ModelCount] = Field(default_factory=list)
    """Caches and branch prediction as cachegrind's model has them, over a fixed number of packets."""
    changed_functions: list[str] | None = None
    """C functions whose own code or data differ between base and head, wherever they lie. None: not told."""
    ended_by: EndedBy | None = None
    """Why the rounds ended; None if there were none, or in version 1."""
    notes: list[str] = Field(default_factory=list)
    source_text: SourceText | None = None
    """Both sides' source lines that cost something. None: not recorded."""
    experiment: ExperimentCell | None = None
    """The cell of an experiment that this run is; such a run is in no series. None: it is of a commit."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    @property
    def valid(self) -> bool:
        """No check failed."""
        return all(check.passed for check in self.checks)
