# SPDX-License-Identifier: Apache-2.0
"""The host's caches for callgrind's model, which needs a number of sets that is a power of two."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

from nalm_core.report.modelled_counts import ModelledCache

SYSFS = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DESCRIPTION = re.compile(r"^desc: (I1|D1|LL) cache: (\d+) B, (\d+) B, (\d+)-way associative")


def host_caches(sysfs: Path = SYSFS) -> dict[str, ModelledCache]:
    """I1, D1 and LL (the largest level) of this host; empty if the kernel does not report all of them."""
    levels: dict[tuple[int, str], ModelledCache] = {}
    for index in sysfs.glob("index*"):
        try:
            text = {name: (index / name).read_text().strip() for name in _FILES}
            levels[int(text["level"]), text["type"]] = ModelledCache(
                size_bytes=_bytes(text["size"]),
                ways=int(text["ways_of_associativity"]),
                line_bytes=int(text["coherency_line_size"]),
            )
        except (OSError, ValueError):
            return {}
    unified = [level for level, kind in levels if kind == "Unified"]
    if (1, "Instruction") not in levels or (1, "Data") not in levels or not unified:
        return {}
    return {
        "I1": levels[1, "Instruction"],
        "D1": levels[1, "Data"],
        "LL": levels[max(unified), "Unified"],
    }


_FILES = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if found is None:
        raise ValueError(text)
    return int(found[1]) * _UNITS[found[2]]


def allowed(cache: ModelledCache) -> ModelledCache:
    """The nearest cache whose number of sets is a power of two, with the nearest size for whole ways."""
    sets = cache.size_bytes / (cache.ways * cache.line_bytes)
    near = 1 << max(0, round(math.log2(sets)))
    ways = max(1, round(cache.size_bytes / (near * cache.line_bytes)))
    return cache.model_copy(update={"size_bytes": near * ways * cache.line_bytes, "ways": ways})


def options(caches: dict[str, ModelledCache]) -> list[str]:
    """callgrind's options for these caches."""
    return [f"--{name}={one.size_bytes},{one.ways},{one.line_bytes}" for name, one in caches.items()]


def used(lines: Iterable[str]) -> dict[str, ModelledCache]:
    """The caches that callgrind modelled, from its output."""
    found = (_DESCRIPTION.match(line) for line in lines)
    return {
        one[1]: ModelledCache(size_bytes=int(one[2]), line_bytes=int(one[3]), ways=int(one[4]))
        for one in found
        if one
    }


def differences(host: dict[str, ModelledCache], model: dict[str, ModelledCache]) -> list[str]:
    """Differences between the host's and the modelled caches, as notes for a report."""
    if not host:
        return ["the kernel does not report this host's caches; the model uses valgrind's default caches"]
    return [
        f"{name}: the host has {_words(one)}; the model uses {_words(model[name])}"
        for name, one in host.items()
        if name in model and model[name] != one
    ]


def _words(cache: ModelledCache) -> str:
    return f"{cache.size_bytes} bytes in {cache.ways} ways of {cache.line_bytes}-byte lines"
