# SPDX-License-Identifier: Apache-2.0
"""Lines of several metrics in one short answer: what they share stands once, and values are whole numbers of
a step that is small beside their intervals.

A history of 10,000 commits with four metrics is 20 MB as separate lines, and 0.4 MB like this and compressed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from math import floor, log10
from typing import Any

import numpy as np
from nalm_core.history.reduction import Floats

STEPS_PER_INTERVAL = 32
"""Steps in the median interval of a series: rounding is far below what the interval leaves open."""
EXACT_DIGITS = 6
"""Digits kept of values without intervals."""
CHANGE_STEP = 1e-6
"""Step of changes against the base, which every page shows with the same digits."""
SHA_DIGITS = 12
"""Digits of a commit: requests accept 7 or more."""
Values = Sequence[float | None]


def packed(metrics: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """schemas.LineColumns from answers of `lines` that differ only in their metric."""
    first = metrics[0]
    shas = first["commits"]["sha"]
    places = {sha: place for place, sha in enumerate(shas)}
    times = [_seconds(at) for at in first["commits"]["committed_at"]]
    return {
        "metrics": [one["metric"] for one in metrics],
        "commits": {
            "sha": [sha[:SHA_DIGITS] for sha in shas],
            "subject": first["commits"]["subject"],
            "seconds": _differences(times),
        },
        "lines": [
            _line([one["lines"][place] for one in metrics], places) for place in range(len(first["lines"]))
        ],
        "releases": first["releases"],
    }


def _seconds(at: datetime | None) -> int | None:
    return None if at is None else round(at.timestamp())


def _differences(values: Sequence[int | None]) -> list[int | None]:
    """Each value minus the last known one before it."""
    found: list[int | None] = []
    before = 0
    for value in values:
        found.append(None if value is None else value - before)
        before = before if value is None else value
    return found


def _line(of_metrics: Sequence[dict[str, Any]], places: dict[str, int]) -> dict[str, Any]:
    first = of_metrics[0]
    at = first["at"]
    bases = [places.get(sha) if sha is not None else None for sha in first["base_sha"]]
    shared = {name: first[name] for name in ("scenario", "branch", "host_class", "change_points", "segments")}
    return {
        **shared,
        "at": [] if not at else [at[0], *(after - before for before, after in pairwise(at))],
        "base_at": [None if base is None else place - base for place, base in zip(at, bases, strict=True)],
        "other_bases": {
            str(run): sha[:SHA_DIGITS]
            for run, (sha, base) in enumerate(zip(first["base_sha"], bases, strict=True))
            if sha is not None and base is None
        },
        "display": list(_runs_of_equal(first["display"])),
        "change": scaled(first["ratio_cpp"], first["low"], first["high"], CHANGE_STEP),
        "series": [
            {
                "metric": place,
                "stage": stage["stage"],
                "function": stage["function"],
                "linked": stage["linked"],
                "same_features": _without_interval(stage["same_features"]),
                **scaled(stage["value"], stage["low"], stage["high"]),
            }
            for place, one in enumerate(of_metrics)
            for stage in one["stages"]
        ],
        "missing": [one["missing"] for one in of_metrics],
        "environments": [one["environments"] for one in of_metrics],
    }


def _without_interval(values: Values | None) -> dict[str, Any] | None:
    return None if values is None else scaled(values, [None] * len(values), [None] * len(values))


def _runs_of_equal(words: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each word with the number of times that it follows itself."""
    count = 0
    for place, word in enumerate(words):
        count += 1
        if place + 1 == len(words) or words[place + 1] != word:
            yield {"display": word, "runs": count}
            count = 0


def scaled(values: Values, lows: Values, highs: Values, step: float | None = None) -> dict[str, Any]:
    """schemas.Scaled: values and their intervals in steps, as differences, which take fewer digits. step: by
    default one that is small beside the intervals."""
    value, low, high = (np.array(one, float) for one in (values, lows, highs))
    widths = high - low
    known = np.isfinite(widths)
    step = step or _step(np.abs(value[np.isfinite(value)]), widths[known & (widths > 0)])
    whole, bottom, top = (np.rint(one / step) for one in (value, low, high))
    return {
        "step": step,
        "value": _differences(_whole(whole)),
        "below": _whole(whole - bottom) if known.any() else None,
        "skew": _whole(top + bottom - 2 * whole) if known.any() else None,
    }


def _step(known: Floats, widths: Floats) -> float:
    largest = float(known.max(initial=0.0))
    if len(widths):
        target = float(np.median(widths)) / STEPS_PER_INTERVAL
    elif largest > 0:
        target = largest / 10**EXACT_DIGITS
    else:
        return 1.0
    digit = 10.0 ** floor(log10(target))
    return float(f"{digit * (5 if target >= 5 * digit else 2 if target >= 2 * digit else 1):.3g}")


def _whole(values: Floats) -> list[int | None]:
    """Whole numbers, None for NaN."""
    missing = np.isnan(values)
    if not missing.any():
        return values.astype(np.int64).tolist()  # type: ignore[no-any-return]
    found = np.where(missing, 0, values).astype(np.int64).astype(object)
    found[missing] = None
    return found.tolist()  # type: ignore[no-any-return]
