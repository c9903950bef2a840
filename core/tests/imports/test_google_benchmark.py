# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's times, in whichever unit they are written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from nalm_core.imports.figures import Given, ImportFailedError, parse_mapping
from nalm_core.imports.google_benchmark import read

MAPPED = ("cpu_time=cycles_per_visit*2.0", "real_time=cpp*2.0", "cache_misses=l1d_replacements_per_packet")
GIVEN = Given(
    commit="a" * 40,
    time=datetime(2026, 11, 21, tzinfo=UTC),
    metrics=dict(parse_mapping(one) for one in MAPPED),
)


def figures(**benchmark: Any) -> dict[str, float]:
    (run,) = read(json.dumps({"benchmarks": [{"name": "lookup", **benchmark}]}), GIVEN)
    return {one.metric: one.value for one in run.values}


@pytest.mark.parametrize(
    ("unit", "nanoseconds"), [(None, 1.0), ("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
)
def test_times_are_in_nanoseconds_before_their_factor(unit: str | None, nanoseconds: float) -> None:
    written = {} if unit is None else {"time_unit": unit}
    found = figures(cpu_time=1.5, real_time=2.5, items_per_second=4e6, cache_misses=3, **written)
    assert found == pytest.approx(
        {
            "cycles_per_visit": 3.0 * nanoseconds,
            "cpp": 5.0 * nanoseconds,
            "pps": 4e6,
            "l1d_replacements_per_packet": 3.0,
        }
    )


@pytest.mark.parametrize("unit", ["min", "", 3, None, ["ns"]])
def test_another_unit_is_refused(unit: Any) -> None:
    with pytest.raises(ImportFailedError, match=r"benchmarks\[0\]\.time_unit should be one of ns, us, ms, s"):
        figures(cpu_time=1.5, time_unit=unit)
