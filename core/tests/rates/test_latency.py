# SPDX-License-Identifier: Apache-2.0
"""Histograms: exact where they are said to be, mergeable, readable by HdrHistogram itself."""

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from nalm_core.rates.latency import figures, histogram, merged, percentile_ns, percentiles_ns


def of(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> object:
    unique, counts = np.unique(np.round(values), return_counts=True)
    return histogram(
        zip(unique.tolist(), counts.tolist(), strict=True),
        sum_ns=float(values.sum()),
        min_ns=float(values.min()),
        max_ns=float(values.max()),
    )


def test_figures_of_known_values() -> None:
    values = np.arange(1.0, 100_001.0)
    found = figures(of(values))  # type: ignore[arg-type]
    assert found is not None
    assert (found.packets, found.min_ns, found.max_ns, found.mean_ns) == (100_000, 1, 100_000, 50_000.5)
    assert found.p50_ns == pytest.approx(50_000, rel=1e-3)
    assert found.p99_ns == pytest.approx(99_000, rel=1e-3)
    assert found.p99_9_ns == pytest.approx(99_900, rel=1e-3)


def test_merging_is_as_if_all_values_had_been_in_one() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.lognormal(8, 1, 5_000), rng.lognormal(10, 0.3, 500), rng.lognormal(6, 1, 20_000)]
    together = figures(of(np.concatenate(parts)))  # type: ignore[arg-type]
    joined = figures(merged([of(part) for part in parts]))  # type: ignore[misc,arg-type]
    assert joined is not None and together is not None
    assert joined.packets == together.packets == 25_500
    assert joined.mean_ns == pytest.approx(together.mean_ns)
    for name in ("min_ns", "p50_ns", "p99_ns", "p99_9_ns", "max_ns"):
        assert getattr(joined, name) == pytest.approx(getattr(together, name), rel=1e-3)


def test_no_value_is_missing_not_zero() -> None:
    none = histogram([], sum_ns=0, min_ns=0, max_ns=0)
    assert (none.count, none.min_ns, none.max_ns) == (0, None, None)
    assert figures(none) is None
    assert percentile_ns(none, 50) is None
    one = histogram([(700.0, 3)], sum_ns=2100, min_ns=700, max_ns=700)
    assert figures(merged([none, one])) == figures(one)


def test_a_bin_ends_no_later_than_the_greatest_value() -> None:
    one = histogram([(1023.0, 10)], sum_ns=10_000, min_ns=1000, max_ns=1000)
    found = figures(one)
    assert found is not None
    assert found.p50_ns == found.p99_9_ns == found.max_ns == 1000


def test_the_payload_is_hdrhistograms_own() -> None:
    one = histogram([(500.0, 90), (4000.0, 10)], sum_ns=85_000, min_ns=500, max_ns=4000)
    hdr = HdrHistogram.decode(one.payload.encode())
    assert hdr.get_total_count() == 100
    assert hdr.get_value_at_percentile(95) == pytest.approx(4000, rel=1e-3)


def test_percentiles_are_those_of_hdrhistogram() -> None:
    values = np.random.default_rng(2).lognormal(9, 2, 3_000)
    one = of(values)
    percents = [0.0, 0.01, *np.arange(0.5, 100.0, 0.5).tolist(), 99.9, 99.999, 100.0]
    hdr = HdrHistogram.decode(one.payload.encode())  # type: ignore[attr-defined]
    own = [float(hdr.get_value_at_percentile(percent)) for percent in percents]
    least, greatest = float(values.min()), float(values.max())
    assert percentiles_ns(one, percents) == [max(least, min(value, greatest)) for value in own]  # type: ignore[arg-type]


def test_a_payload_without_values_gives_the_least_value() -> None:
    empty = histogram([], sum_ns=0, min_ns=0, max_ns=0)
    one = empty.model_copy(update={"count": 3, "sum_ns": 15.0, "min_ns": 4.0, "max_ns": 6.0})
    assert percentiles_ns(one, [0.0, 50.0, 100.0]) == [4.0, 4.0, 4.0]
