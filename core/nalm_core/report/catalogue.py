# SPDX-License-Identifier: Apache-2.0
"""The metric catalogue as data. Formulas are those of docs/metrics.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from nalm_core.report.run_report import Model

Better = Literal["lower", "higher", "neither"]
Scope = Literal["stage", "chain", "lcore", "function"]
"""`function`: a C function under a stage, with its own instructions, without callees. A metric of the whole
program is the chain's."""


class Metric(Model):
    name: str
    title: str
    unit: str
    formula: str
    sentence: str
    """The metric's meaning, for readers."""
    better: Better
    scopes: tuple[Scope, ...]
    sources: tuple[str, ...]
    """Possible sources of its figures, joined by + if a figure needs two."""


_ALL: Final = (
    Metric(
        name="cpp",
        title="CPP",
        unit="cycles/packet",
        formula="busy cycles / packets that left or were dropped by policy",
        sentence="TSC cycles per packet: the TSC's rate is constant, so they are time. The stages add up to "
        "the chain. A C function's are samples, scaled to the chain.",
        better="lower",
        scopes=("chain", "stage", "function"),
        sources=("tsc", "pmu", "tsc+samples"),
    ),
    Metric(
        name="ncpp",
        title="NCPP",
        unit="1",
        formula="CPP / CPP expected of the feature set by the cost model of the reference commit",
        sentence="Cycles per packet relative to the reference at the same complexity: this scale compares "
        "versions with different feature sets. 1 is as efficient as the reference.",
        better="lower",
        scopes=("chain",),
        sources=("tsc",),
    ),
    Metric(
        name="ipp",
        title="IPP",
        unit="instructions/packet",
        formula="busy instructions / packets that left or were dropped by policy",
        sentence="Instructions per packet. They explain CPP and never decide alone.",
        better="lower",
        scopes=("chain", "stage", "function"),
        sources=("pmu", "simulated"),
    ),
    Metric(
        name="eipc",
        title="eIPC",
        unit="instructions/cycle",
        formula="IPP / CPP",
        sentence="Use of the pipeline while there is work: cache and branch misses lower it.",
        better="higher",
        scopes=("chain", "stage", "function"),
        sources=("pmu", "tsc+pmu", "tsc+simulated", "tsc+samples+simulated"),
    ),
    Metric(
        name="core_cpp",
        title="CPP in core cycles",
        unit="core cycles/packet",
        formula="CPP * core clock; by the PMU: core cycles / packets",
        sentence="Cycles of the core itself per packet, at whatever frequency it ran.",
        better="neither",
        scopes=("chain", "stage"),
        sources=("tsc", "pmu"),
    ),
    Metric(
        name="core_eipc",
        title="eIPC per core cycle",
        unit="instructions/core cycle",
        formula="IPP / CPP in core cycles",
        sentence="Use of the pipeline, whatever the core's frequency was.",
        better="neither",
        scopes=("chain", "stage"),
        sources=("pmu", "tsc+pmu", "tsc+simulated"),
    ),
    Metric(
        name="core_clock",
        title="Core clock",
        unit="core cycles/TSC cycle",
        formula="core cycles of a chain of dependent additions / its TSC cycles, around each turn",
        sentence="How fast the cores ran, relative to the TSC.",
        better="neither",
        scopes=("chain",),
        sources=("tsc",),
    ),
    Metric(
        name="pps",
        title="Rate",
        unit="packets/s",
        formula="packets that left or were dropped by policy / time not spent in the generator",
        sentence="Packets handled per second of the NF's own time.",
        better="higher",
        scopes=("chain",),
        sources=("tsc",),
    ),
    Metric(
        name="cur",
        title="CUR",
        unit="1",
        formula="busy cycles / (busy cycles + idle cycles), summed over lcores",
        sentence="Share of an lcore's time in which it has packets to process. At full load it is 1.",
        better="neither",
        scopes=("chain", "lcore"),
        sources=("tsc",),
    ),
    Metric(
        name="cycles_per_poll",
        title="Cycles per poll",
        unit="cycles/poll",
        formula="busy cycles / polls that found packets",
        sentence="Cycles from a poll that finds packets to the next poll. Only at a partial load.",
        better="neither",
        scopes=("chain",),
        sources=("tsc",),
    ),
    Metric(
        name="batch_size",
        title="Batch size",
        unit="packets/poll",
        formula="packets received / polls that found packets",
        sentence="Packets that a poll finds, if it finds any. Only at a partial load.",
        better="neither",
        scopes=("chain",),
        sources=("tsc",),
    ),
    Metric(
        name="cycles_per_visit",
        title="Cycles per visit",
        unit="cycles/packet",
        formula="cycles of the stage / packets that visited it",
        sentence="Cycles that a stage takes for a packet that visits it.",
        better="lower",
        scopes=("stage",),
        sources=("tsc", "pmu"),
    ),
    Metric(
        name="visit_rate",
        title="Visit rate",
        unit="visits/packet",
        formula="packets that visited the stage / packets that left or were dropped by policy",
        sentence="Visits of a stage per packet.",
        better="neither",
        scopes=("stage",),
        sources=("tsc",),
    ),
    Metric(
        name="l1d_hit_ratio",
        title="L1D hit ratio",
        unit="1",
        formula="1 - first-level data misses / data accesses",
        sentence="Share of data accesses that the first-level cache serves. Where the lines of the packets "
        "in flight fit into it, the ratio stays near 1.",
        better="neither",
        scopes=("chain", "stage"),
        sources=("pmu", "simulated"),
    ),
    Metric(
        name="l1d_replacements_per_packet",
        title="L1D replacements",
        unit="lines/packet",
        formula="lines brought into the first-level data cache / packets that left or were dropped by policy",
        sentence="Lines that the first-level data cache takes in for a packet, and so gives up for others.",
        better="neither",
        scopes=("chain", "stage"),
        sources=("pmu", "simulated"),
    ),
    Metric(
        name="calls",
        title="Calls",
        unit="calls/packet",
        formula="calls of the function under the stage / packets that left or were dropped by policy",
        sentence="Calls of a C function per packet: below 1 where one call processes a batch.",
        better="neither",
        scopes=("function",),
        sources=("simulated",),
    ),
    Metric(
        name="resident_bytes",
        title="Resident memory",
        unit="bytes",
        formula="resident memory of the NF's processes at the end of a launch, small and huge pages",
        sentence="Memory that the NF occupies.",
        better="lower",
        scopes=("chain",),
        sources=("process",),
    ),
    Metric(
        name="buffers_in_use",
        title="Buffers in use",
        unit="buffers",
        formula="packet buffers that the NF holds after the last turn of a launch",
        sentence="Packet buffers that are held between two turns: queues, reassembly, caches.",
        better="lower",
        scopes=("chain",),
        sources=("probe",),
    ),
    Metric(
        name="binary_bytes",
        title="Binary size",
        unit="bytes",
        formula="loaded sections of the files that build.artifacts names",
        sentence="Code and data that the loader takes from the artifacts; debug information does not count.",
        better="lower",
        scopes=("chain",),
        sources=("build",),
    ),
    Metric(
        name="code_bytes",
        title="Code size",
        unit="bytes",
        formula="section .text of the files that build.artifacts names",
        sentence="Machine code of the artifacts, executed or not.",
        better="lower",
        scopes=("chain",),
        sources=("build",),
    ),
    Metric(
        name="hot_code_bytes",
        title="Hot code",
        unit="bytes",
        formula="code of the artifacts' functions that execute 99.5 % of the counted instructions",
        sentence="Machine code that packets of the counted replay execute: what instruction caches hold. "
        "Parts that the compiler took out as unlikely do not count.",
        better="lower",
        scopes=("chain",),
        sources=("build",),
    ),
    Metric(
        name="build_seconds",
        title="Build time",
        unit="s",
        formula="time of the build's commands, with the compiler cache",
        sentence="How long the build took; missing for a build that came from the store.",
        better="lower",
        scopes=("chain",),
        sources=("build",),
    ),
    Metric(
        name="mrr_pps",
        title="MRR",
        unit="packets/s",
        formula="forwarded packets / seconds of sending, in trials at full load",
        sentence="Packets per second that the NF forwards at full load, whatever it loses.",
        better="higher",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="ndr_pps",
        title="NDR",
        unit="packets/s",
        formula="greatest load without loss, by MLRsearch",
        sentence="The no drop rate: the greatest load at which no packet is lost.",
        better="higher",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="pdr_pps",
        title="PDR",
        unit="packets/s",
        formula="greatest load with a loss ratio of 0.5 %, by MLRsearch",
        sentence="The partial drop rate: the greatest load at which at most 0.5 % of the packets are lost.",
        better="higher",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_p50_ns",
        title="Latency p50",
        unit="ns",
        formula="median over trials of the 50th percentile of latency",
        sentence="Half of the packets arrive within this time of being due, at the run's load.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_p90_ns",
        title="Latency p90",
        unit="ns",
        formula="median over trials of the 90th percentile of latency",
        sentence="90 % of the packets arrive within this time of being due.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_p99_ns",
        title="Latency p99",
        unit="ns",
        formula="median over trials of the 99th percentile of latency",
        sentence="99 % of the packets arrive within this time of being due.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_p99_9_ns",
        title="Latency p99.9",
        unit="ns",
        formula="median over trials of the 99.9th percentile of latency",
        sentence="99.9 % of the packets arrive within this time of being due.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_max_ns",
        title="Latency max",
        unit="ns",
        formula="greatest latency of a launch",
        sentence="The latency of the slowest packet: shown, not judged.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="jitter_p99_ns",
        title="Jitter p99",
        unit="ns",
        formula="median over trials of the 99th percentile of jitter",
        sentence="Difference of the latencies of two consecutive packets of a flow.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="loss_ratio",
        title="Loss",
        unit="1",
        formula="lost packets / due packets, of all valid trials of a launch",
        sentence="Share of the due packets that the NF loses at the run's load. Its parts are the causes.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="load_cpp",
        title="CPP at the load",
        unit="cycles/packet",
        formula="median over trials of busy cycles / packets, at the run's load",
        sentence="Cycles per packet while packets wait for the NF seldom: work that a full batch shares "
        "shows here.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="knee_pps",
        title="Knee",
        unit="packets/s",
        formula="load at which the fitted CPP has left its level at small loads by 2 %",
        sentence="The load from which polls find several packets, or caches lack what the NF needs.",
        better="higher",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="cpp_drift",
        title="CPP drift",
        unit="1",
        formula="slope of CPP * length of the soak / median",
        sentence="Relative change of CPP over a soak.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="pps_drift",
        title="Rate drift",
        unit="1",
        formula="slope of the forwarded rate * length of the soak / median",
        sentence="Relative change of the forwarded rate over a soak.",
        better="higher",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="latency_p99_9_drift",
        title="Latency drift",
        unit="1",
        formula="slope of p99.9 * length of the soak / median",
        sentence="Relative change of the 99.9th percentile of latency over a soak.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="memory_growth",
        title="Memory growth",
        unit="bytes/h",
        formula="slope of the resident memory",
        sentence="Memory that the NF takes by the hour, and keeps.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
    Metric(
        name="buffers_growth",
        title="Buffer growth",
        unit="buffers/h",
        formula="slope of the packet buffers in use",
        sentence="Packet buffers that do not return to their pool, by the hour.",
        better="lower",
        scopes=("chain",),
        sources=("trials",),
    ),
)

UNDER_LOAD: Final = (
    "mrr_pps",
    "ndr_pps",
    "pdr_pps",
    "latency_p50_ns",
    "latency_p90_ns",
    "latency_p99_ns",
    "latency_p99_9_ns",
    "latency_max_ns",
    "jitter_p99_ns",
    "loss_ratio",
    "load_cpp",
    "knee_pps",
    "cpp_drift",
    "pps_drift",
    "latency_p99_9_drift",
    "memory_growth",
    "buffers_growth",
)
"""Metrics of runs of rates and of soaks, in the order in which they are shown."""
GROWTH: Final[Mapping[str, str]] = MappingProxyType({"memory_growth": "bytes", "buffers_growth": "buffers"})
"""Metrics whose margin is growth over a whole soak, in this unit, and no share."""
SEARCHED_UNDER_LOAD: Final = (
    "mrr_pps",
    "ndr_pps",
    "pdr_pps",
    "latency_p50_ns",
    "latency_p90_ns",
    "latency_p99_ns",
    "load_cpp",
)
"""Metrics of runs of rates whose histories are searched for changes. Rarer packets scatter too much from
commit to commit; a share of lost packets and growth may be 0, which has no logarithm."""
NEVER_JUDGED: Final = ("latency_max_ns",)
"""Metrics that belong to single packets: neither a comparison nor a history judges them."""
SHIPPED: Final = (
    "resident_bytes",
    "buffers_in_use",
    "binary_bytes",
    "code_bytes",
    "hot_code_bytes",
    "build_seconds",
)
"""Metrics beside those of packets and cycles that every run measures (report.own_metrics)."""

FUNCTION_IPP: Final = "function_ipp"
"""IPP of a C function, which verdict.function_change judges."""
METRICS: Final[Mapping[str, Metric]] = MappingProxyType({metric.name: metric for metric in _ALL})


def title_of(metric: str) -> str:
    """Its title; an own metric has the name that nalm.toml gives it."""
    known = METRICS.get("ipp" if metric == FUNCTION_IPP else metric)
    return metric if known is None else known.title


def direction(metric: str, ratio: float) -> Literal["better", "worse", "neither"]:
    """Whether head/base = ratio of the metric is an improvement. Raises KeyError for an unknown metric."""
    return direction_of(METRICS[metric].better, ratio)


def direction_of(better: Better, ratio: float) -> Literal["better", "worse", "neither"]:
    """Whether head/base = ratio of a metric with this direction is an improvement."""
    if better == "neither" or ratio == 1.0:
        return "neither"
    return "better" if (ratio < 1.0) == (better == "lower") else "worse"
