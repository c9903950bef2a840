# SPDX-License-Identifier: Apache-2.0
"""The signature of a change: named quantities of both arms. A quantity that was not counted is absent, not
0."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from nalm_core.explain.model import Evidence
from nalm_core.explain.quantities import QUANTITIES


class Signature:
    """Quantities by name."""

    def __init__(self) -> None:
        self._found: dict[str, Evidence] = {}

    def put(self, name: str, before: float | None, after: float | None, source: str) -> None:
        """Enters a quantity unless it is already known or both arms lack it.

        Raises KeyError for an unknown name.
        """
        unit = QUANTITIES[name].unit
        before, after = _finite(before), _finite(after)
        if name not in self._found and (before is not None or after is not None):
            self._found[name] = Evidence(name=name, before=before, after=after, unit=unit, source=source)

    def get(self, name: str) -> Evidence | None:
        return self._found.get(name)

    def both(self, name: str) -> tuple[float, float] | None:
        """Before and after; None unless both are known."""
        one = self._found.get(name)
        if one is None or one.before is None or one.after is None:
            return None
        return one.before, one.after

    def change(self, name: str) -> float | None:
        """After less before."""
        pair = self.both(name)
        return None if pair is None else pair[1] - pair[0]

    def relative(self, name: str) -> float | None:
        """After / before - 1; None if before is not positive."""
        pair = self.both(name)
        return None if pair is None or pair[0] <= 0 else _finite(pair[1] / pair[0] - 1)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self._found.values())

    def __contains__(self, name: str) -> bool:
        return name in self._found


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
