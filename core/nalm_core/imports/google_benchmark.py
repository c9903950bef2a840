# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's JSON (`--benchmark_format=json`; its docs/user_guide.md, "Output Formats").

A benchmark's name is the stage. Counters with the name of a catalogue's metric are read unchanged, and
`items_per_second` is pps. Times and other counters are read only if they are mapped, times in nanoseconds in
whichever `time_unit` they are written. Repetitions of a benchmark are its launches. Aggregates are left out,
since they can be computed from these.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from nalm_core.imports.figures import (
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    Mapped,
    mean,
    moment,
    name_of,
    parse_json,
    required,
)
from nalm_core.report.catalogue import METRICS
from nalm_core.report.history_figure import t_interval

BUILT_IN = {"items_per_second": Mapped("pps")}
TIMES = ("real_time", "cpu_time")
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
"""By `time_unit`."""


def read(text: str, given: Given) -> list[ImportedRun]:
    """Reads one run, in which every benchmark is a stage."""
    document = parse_json(text)
    if not isinstance(document, dict) or not isinstance(document.get("benchmarks"), list):
        raise ImportFailedError("expected an object with `benchmarks`, as --benchmark_format=json writes it")
    context = document.get("context")
    if not isinstance(context, dict):
        context = {}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for index, one in enumerate(document["benchmarks"]):
        _read_one(one, f"benchmarks[{index}]", given, found)
    time = given.time or moment(required(context.get("date"), "time"), "context.date")
    values = [_value(stage, metric, samples) for (stage, metric), samples in found.items()]
    if not values:
        raise ImportFailedError(
            "no benchmark has a figure that is a metric of the catalogue: map one, such as "
            "cpu_time=cycles_per_visit*2.6 for ns at 2.6 GHz"
        )
    host = context.get("host_name")
    return [
        ImportedRun(
            required(given.commit, "commit"),
            given.scenario or "google-benchmark",
            time,
            values,
            str(host)[:128] if host else None,
        )
    ]


def _read_one(one: Any, path: str, given: Given, found: dict[tuple[str, str], list[float]]) -> None:
    if not isinstance(one, dict) or not isinstance(one.get("name"), str):
        raise ImportFailedError(f"{path}: expected an object with a `name`")
    if one.get("run_type") == "aggregate" or one.get("error_occurred"):
        return
    stage = name_of(str(one.get("run_name") or one["name"]))
    for key, value in one.items():
        mapped = given.metrics.get(key) or BUILT_IN.get(key) or (Mapped(key) if key in METRICS else None)
        if mapped is not None:
            unit = _nanoseconds(one, path) if key in TIMES else 1.0
            figure = Mapped(mapped.metric, unit * mapped.factor).of(value, f"{path}.{key}")
            found[stage, mapped.metric].append(figure)


def _nanoseconds(one: dict[str, Any], path: str) -> float:
    """Those of the unit of a benchmark's times."""
    unit = one.get("time_unit", "ns")
    if unit not in list(NANOSECONDS):
        raise ImportFailedError(f"{path}.time_unit should be one of {', '.join(NANOSECONDS)}, found {unit!r}")
    return NANOSECONDS[unit]


def _value(stage: str, metric: str, samples: list[float]) -> ImportedValue:
    _, low, high = t_interval(samples)
    return ImportedValue(stage, metric, mean(samples), low, high, samples)
