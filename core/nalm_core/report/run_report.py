# SPDX-License-Identifier: Apache-2.0
"""Run report, version 2: one JSON document per run, with raw counters.

A run compares arms on one host: `base`, `head`, and, when the commit changes the scenario's feature set,
`head_as_base` (head's build run with base's feature set). docs/metrics.md defines the figures. nalm_core
computes summary and verdict from this document alone, in the agent and in the server; the document does not
contain them.

Counters are raw differences over one turn, never ratios. A counter that could not be read is absent (None),
never 0.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.call_tree import CallNode, FunctionLines
from nalm_core.report.cell import ExperimentCell
from nalm_core.report.event_counts import EventCount
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.offered_load import CLOSED, LoadName, OfferedLoad, RoundTraffic
from nalm_core.report.own_metrics import OwnMetric, Threshold
from nalm_core.report.profile import Profile, ThreadCount
from nalm_core.report.source_text import SourceText
from nalm_core.report.terms import (
    Arm,
    Count,
    LcoreCounters,
    LcoreTurn,
    Model,
    Name,
    Nanoseconds,
    OutcomeKind,
    PathName,
    Sha,
    ShortName,
    Source,
    StageCounters,
    is_none,
)
from nalm_core.report.trials.rate_run import RateRun

__all__ = [
    "Arm",
    "Count",
    "LcoreCounters",
    "LcoreTurn",
    "Model",
    "Name",
    "OutcomeKind",
    "PathName",
    "Sha",
    "Source",
    "StageCounters",
]
"""Names of nalm_core.report.terms that this module exports, in addition to its own."""

OWN_PROBE: Final = "probe"
"""The NF's own probe counts."""
FAMILY: Final = "nalm.run-report/"
SCHEMA: Final = "nalm.run-report/2"
READABLE: Final = ("nalm.run-report/1", SCHEMA)
"""Version 1 lacks fields that version 2 may have; nothing else differs."""

EndedBy = Literal["decision", "launches", "budget"]


class RunStatus(StrEnum):
    """Whether the agent could measure. The checks determine whether a measured run is valid."""

    MEASURED = "measured"
    UNCHANGED = "unchanged"
    """Nothing to measure: the arms run in the same way and load equal files, or equal functions and data."""
    BROKEN = "broken"
    """The NF of head did not build, start, forward or stay alive; `failure` has the reason."""
    FAILED = "failed"
    """The host or the base could not be measured; this says nothing about head."""


class StageInfo(Model):
    name: Name
    apart: bool = False
    """True for a generator or sink on the same lcore; its cycles are neither busy nor idle."""
    outcomes: dict[Name, OutcomeKind] = Field(default_factory=dict)


class Build(Model):
    commit: Sha
    dirty: bool = False
    """True if it was built from a working tree that differs from the commit."""
    tree: str
    """Content address of the build: digest of the NF's paths, build commands and toolchain."""
    code_digest: str
    """Digest of the loaded parts of every executable and shared library of the build, and of the data files
    that nalm.toml names: builds with equal digests run the same. In older reports: of the artifacts only."""
    compiler: str
    options: list[str] = Field(default_factory=list)
    build_seconds: float | None = None
    """None if the build came from the store."""
    isolation: Literal["bubblewrap", "none"] | None = None
    """What isolated the build from the host, its network and its secrets; None if not recorded."""
    functions: str | None = None
    """Digest of the artifacts' functions, independent of their addresses. None if they cannot be determined
    (stripped, another processor)."""


def _without_default(schema: dict[str, Any]) -> None:
    """Removes the default from the schema of a field that is left out at its default."""
    schema.pop("default", None)


def _is_false(value: object) -> bool:
    return value is False


class RunDefinition(Model):
    """How an arm's NF was run. Equal code and equal run definition: nothing to measure."""

    features: list[Name]
    command: list[str]
    """Without paths of the host: {build} and {source} replace them."""
    traffic: str
    """Name and digest of the replayed traffic."""
    counts: ShortName = Field(
        OWN_PROBE,
        exclude_if=lambda counts: counts == OWN_PROBE,
        json_schema_extra=_without_default,
    )
    """What counts packets and cycles (nalm.toml's `run.counts`); left out for the NF's own probe."""
    load: LoadName | None = Field(None, exclude_if=is_none, json_schema_extra=_without_default)
    """The load, which both arms are offered; left out for a closed loop, and for the default one of rates and
    soaks."""

    def series_source(self, source: str) -> str:
        """The source of a series: figures of different `counts` or loads are never in one series."""
        counted = source if self.counts == OWN_PROBE else f"{source}:{self.counts}"
        return counted if self.load is None else f"{counted}@{self.load}"


class ArmInfo(Model):
    build: Build
    run: RunDefinition
    stages: list[StageInfo] = Field(default_factory=list)
    """In the order in which packets pass them; empty if the arm was never started."""

    def apart_stages(self) -> frozenset[str]:
        """Names of the stages that are not the NF's own."""
        return frozenset(stage.name for stage in self.stages if stage.apart)


class Scenario(Model):
    name: PathName
    """Stable key of the history."""
    model: Literal["rtc", "pipeline"] = "rtc"
    lcores: int = Field(ge=1)
    traffic: str
    load: LoadName = CLOSED
    """`closed`, the name of an open loop, or `open` where the report has the loads (rates, soaks)."""


class Host(Model):
    """A host's fingerprint. Runs of one series have the same `host_class`."""

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
    """Run-time choices of libraries by CPU that were pinned for all sources (SIMD width, ...)."""
    # None below: unknown (an older report, or the host does not report it). report.host_match compares.
    smt: bool | None = None
    """Whether hardware threads share cores."""
    numa_nodes: int | None = Field(default=None, ge=1)
    microcode: str | None = None
    turbo: bool | None = None
    """Whether the clock may rise above its nominal rate."""
    isolated_cpus: list[int] | None = None
    """CPUs that the kernel's scheduler does not use (isolcpus, isolated cpusets)."""
    mitigations: dict[str, str] | None = None
    """The kernel's mitigation of each processor vulnerability of this host, by the vulnerability's name."""
    thp: str | None = None
    """Transparent huge pages: always, madvise or never."""
    cmdline_digest: str | None = None
    """Digest of the kernel's command line, which may contain private data."""
    libraries: dict[str, str] | None = None
    """Versions of the libraries in an NF, by name: libc, dpdk, hyperscan."""
    latencies_ns: dict[str, Nanoseconds] | None = None
    """Time of one dependent load by level (L1d, L2, L3, memory), from the last `nalm doctor` on the host."""
    transfer_ns: dict[str, Nanoseconds] | None = None
    """Time until another CPU sees a written cache line, by pair of CPUs ("0-1"), of the same measurement."""
    latencies_at: datetime | None = None
    """Time of this measurement."""
    supply: HostSupply | None = Field(
        None, exclude_if=lambda supply: supply is None, json_schema_extra=_without_default
    )
    """What the host delivers per second, of the same measurement; left out if it was not measured."""


class BareTurn(Model):
    """One turn of one arm without the probe's marks: how many packets it handled in which time."""

    launch: int = Field(ge=0)
    turn: int = Field(ge=0)
    arm: Arm
    lcores: list[LcoreTurn] = Field(min_length=1)
    steal_ns: int | None = Field(default=None, ge=0)
    """As in Round."""
    set_aside: str | None = None
    """Why this turn is not used; None if it is."""


class Round(Model):
    """One turn of one arm in one launch."""

    launch: int = Field(ge=0)
    turn: int = Field(ge=0)
    order: int = Field(ge=0)
    """Position among the arms of this turn, from 0; it alternates from turn to turn."""
    arm: Arm
    lcores: list[LcoreCounters] = Field(min_length=1)
    stages: dict[Name, StageCounters]
    steal_ns: int | None = Field(default=None, ge=0)
    """Time of the host's cores that the hypervisor gave to other guests meanwhile (/proc/stat)."""
    buffers_in_use: Count | None = None
    """Packet buffers that the NF held when the last lcore had parked. None if it does not count them."""
    traffic: RoundTraffic | None = Field(None, exclude_if=is_none, json_schema_extra=_without_default)
    """What the generator sent; left out in a closed loop."""
    set_aside: str | None = None
    """Why this round is not used; None if it is."""


class ReplayedStage(Model):
    """One stage over a replay, summed over lcores."""

    packets: Count
    outcomes: dict[Name, Count] = Field(default_factory=dict)


class Replay(Model):
    """Outcomes of a fixed number of packets of the trace, from its first packet, in a new process.

    The number of packets ends it, not the clock: two builds with the same work have the same figures.
    """

    arm: Arm
    number: int = Field(ge=0)
    """Number of the replay, from 0; it seeds the NF, so replays with one number have equal tables."""
    stages: dict[Name, ReplayedStage]
    under_way: list[int]
    """Packets taken in less those with an outcome, at the end of each of the replay's equal parts."""
    buffers: list[Count] = Field(default_factory=list)
    """Packet buffers in use at the same moments. Empty if the NF does not count them."""


class BufferLook(Model):
    """A longer look at a process whose packet buffers grew: the turns of a launch, or the parts of a replay,
    and further ones."""

    arm: Arm
    launch: int = Field(ge=0)
    """Number of the launch or of the replay."""
    turns: int = Field(ge=1)
    """Number of the figures below that are of its own turns, not of further ones."""
    taken_in: list[Count]
    """Packets taken in, by turn."""
    ended: list[Count]
    """Packets with an outcome, by turn."""
    buffers: list[Count]
    """Buffers in use at the end of each turn."""


class ExpectedOutcome(Model):
    """A change of outcomes that head's commits declare (nalm_core.findings.expectation)."""

    stage: str = Field(min_length=1, max_length=64)
    outcome: str = Field(min_length=1, max_length=64)
    share: float = Field(gt=0, le=1)
    """Share of the packets taken in by which the outcome may grow."""
    reason: str


class FunctionCount(Model):
    """One C function under one stage: its own instructions, without callees."""

    name: str
    instructions: Count
    calls: Count
    file: str | None = None
    """Source file by debug information; None without it."""
    line: int | None = Field(default=None, ge=1)
    """Line of its first instruction."""


class InstructionCount(Model):
    """Exact instructions of one arm over a fixed number of packets of the same trace."""

    arm: Arm
    source: Source
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    stages: dict[Name, Count]
    """Instructions per stage, including apart stages under their names."""
    unattributed: Count
    """Data-path instructions outside every stage (the loop, the probe)."""
    functions: dict[Name, list[FunctionCount]] = Field(default_factory=dict)
    """Costliest functions per stage, most instructions first."""
    calls: list[CallNode] = Field(default_factory=list)
    """Instructions by call path; their sum is that of `stages` and `unattributed`. Empty: not recorded."""
    lines: list[FunctionLines] = Field(default_factory=list)
    """Instructions by source line, of functions with debug information. Empty: not recorded."""
    executed: dict[Name, list[str]] | None = Field(
        None, exclude_if=is_none, json_schema_extra=_without_default
    )
    """Names of all functions that were executed under each stage. Left out: not recorded."""
    executed_outside: list[str] = Field(
        default_factory=list, exclude_if=lambda names: not names, json_schema_extra=_without_default
    )
    """Those that were executed outside every stage."""


class Check(Model):
    """A named check of the run's own numbers; a failed one makes the run invalid."""

    name: Name
    passed: bool
    value: float | None
    limit: float | None
    message: str


MOST_LOOKS: Final = 100
MOST_LAUNCHES: Final = 10_000
"""More than any measurement needs: a report has room for them."""


class Settings(Model):
    """Settings of the measurement, and thresholds of the verdict."""

    model_config = ConfigDict(allow_inf_nan=False)

    margin: float = Field(gt=0, lt=1)
    """Relative change of CPP that matters; smaller is `same`."""
    alpha: float = Field(gt=0, lt=1)
    """Error rate of the whole procedure over all looks."""
    looks: int = Field(ge=1, le=MOST_LOOKS)
    """Most looks at which the rounds are judged."""
    first_look: int | None = Field(default=None, ge=1)
    """Launches at the first look; the others follow in equal ratios up to max_launches. None: looks are
    evenly spread, as in version 1."""
    turn_ms: float = Field(gt=0)
    turns_per_launch: int = Field(ge=1)
    """Turns of each arm in a launch; with most_turns in the first ones."""
    most_turns: int | None = Field(None, ge=1, exclude_if=is_none, json_schema_extra=_without_default)
    """Later launches have as many turns of each arm as their noise asks for, at most so many. Left out: all
    have turns_per_launch."""
    max_launches: int = Field(ge=1, le=MOST_LAUNCHES)
    budget_seconds: float | None = Field(default=None, gt=0)
    """Time after which no launch is started; None: no limit."""
    function_margin: float | None = Field(
        None, gt=0, lt=1, exclude_if=is_none, json_schema_extra=_without_default
    )
    """Relative change of a C function's own cost that matters. Left out: FUNCTION_MARGIN."""
    equal_counts: bool = Field(False, exclude_if=_is_false, json_schema_extra=_without_default)
    """The arms' instructions are the same in every stage, as was known before the first round: `same` spends
    its error rate where such runs are mostly decided. Left out: not so, not counted, or the arms load equal
    programs with other data."""
    changed_stages: list[Name] | None = Field(
        None, min_length=1, exclude_if=is_none, json_schema_extra=_without_default
    )
    """The stages that execute changed functions, as was known before the first round; in all others the arms
    execute the same code, with the same counts. A change in these stages alone may then decide. Left out:
    unknown, or the margin is not a fine one."""


class ArmMemory(Model):
    """Resident memory of an arm's process at the end of a replay, by size of page (proc(5), smaps_rollup)."""

    arm: Arm
    small_bytes: Count
    huge_bytes: Count
    """On huge pages, including transparent ones."""


class Layouts(Model):
    """The layout of each launch; both arms of a launch had the layout of the same number.

    A layout is a link of the same objects with functions in another order and at other offsets, and with
    other offsets of stack and heap. Layout 0 is the build as it is.
    """

    relinked: bool
    """False: nalm could not link the builds again, so layouts differ in stack and heap alone."""
    reason: str | None = None
    """Why it could not."""
    numbers: list[int] = Field(min_length=1)
    """By launch."""

    def of(self, launch: int) -> int:
        """The layout of a launch."""
        return self.numbers[launch] if launch < len(self.numbers) else self.numbers[-1]


class GivenConfiguration(Model):
    """A nalm.toml from outside of the commits, by which both arms were built and run."""

    name: str
    """The name of the file, or the project whose configuration the server has."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RunReport(Model):
    schema_: Literal["nalm.run-report/1", "nalm.run-report/2"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """The agent chooses it; a second upload of the same run changes nothing."""
    nalm_version: str
    project: PathName
    scenario: Scenario
    host: Host
    status: RunStatus
    failure: str | None = None
    """For broken and failed: the reason, with the last lines of the log."""
    started_at: datetime
    finished_at: datetime
    settings: Settings
    arms: dict[Arm, ArmInfo]
    """Arms that could be built; `failure` explains a missing arm."""
    sources: dict[Source, str | None]
    """Each counter source: None if used, otherwise the reason why it was not available."""
    tools: dict[str, str | None] = Field(default_factory=dict)
    """The same by tool: tsc, simulated (callgrind), and for the PMU papi and perf."""
    rounds: list[Round] = Field(default_factory=list)
    configuration: GivenConfiguration | None = Field(
        None, exclude_if=is_none, json_schema_extra=_without_default
    )
    """Left out: each commit's own nalm.toml."""
    bare_turns: list[BareTurn] = Field(
        default_factory=list, exclude_if=lambda turns: not turns, json_schema_extra=_without_default
    )
    """Turns without the probe's marks, beside the rounds. Left out: the NF has none."""
    layouts: Layouts | None = Field(None, exclude_if=is_none, json_schema_extra=_without_default)
    """The layout of each launch; left out if all launches had the builds as they are."""
    batches: dict[Arm, list[LcoreBatches]] = Field(default_factory=dict)
    """Batches of each arm over all rounds. Empty: not counted (an older probe, or the NF's own figures)."""
    replays: list[Replay] = Field(default_factory=list)
    """Outcomes of the same packets in every arm. Empty: not replayed."""
    memory: list[ArmMemory] = Field(default_factory=list)
    """Memory of each arm. Empty: not read."""
    own_metrics: list[OwnMetric] = Field(default_factory=list)
    """Metrics beside those of packets and cycles. Empty: not measured."""
    rates: RateRun | None = Field(None, exclude_if=is_none, json_schema_extra=_without_default)
    """Trials of rates, latency and loss, or of a soak, in place of rounds; `own_metrics` has their figures.
    Left out in a run of cycles."""
    thresholds: list[Threshold] = Field(default_factory=list)
    """Margins beside the chain's CPP, whose margin is in `settings`."""
    buffer_looks: list[BufferLook] = Field(default_factory=list)
    """Longer looks at arms whose packet buffers grew through a launch."""
    expected_outcomes: list[ExpectedOutcome] = Field(default_factory=list)
    """Changes of outcomes that head's commits declare for this scenario."""
    instructions: list[InstructionCount] = Field(default_factory=list)
    checks: list[Check] = Field(default_factory=list)
    profiles: list[Profile] = Field(default_factory=list)
    """Samples of the arms' time, taken in separate turns after the rounds."""
    thread_counts: list[ThreadCount] = Field(default_factory=list)
    """Hardware events of the lcores' threads, in separate turns."""
    event_counts: list[EventCount] = Field(default_factory=list)
    """Hardware events per stage from the probe, in separate launches."""
    model_counts: list[ModelCount] = Field(default_factory=list)
    """Caches and branch prediction by cachegrind's model, over a fixed number of packets."""
    changed_functions: list[str] | None = None
    """C functions whose own code or data differ between base and head, at any address. None: unknown."""
    ended_by: EndedBy | None = None
    """Why the rounds ended; None if there were none, or in version 1."""
    offered: OfferedLoad | None = Field(None, exclude_if=is_none, json_schema_extra=_without_default)
    """The open loop of the rounds; left out in a closed loop."""
    notes: list[str] = Field(default_factory=list)
    source_text: SourceText | None = None
    """Source lines with a cost, of both sides. None: not recorded."""
    experiment: ExperimentCell | None = None
    """The cell of an experiment that this run measures; it is in no series. None: a run of a commit."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    @property
    def valid(self) -> bool:
        """True if no check failed."""
        return all(check.passed for check in self.checks)
