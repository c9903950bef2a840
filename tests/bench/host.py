# SPDX-License-Identifier: Apache-2.0
"""The output of every benchmark: one JSON line."""

from __future__ import annotations

import json
from typing import Any

from nalm_agent.host.fingerprint import fingerprint


def print_result(
    name: str, value: float, unit: str, better: str, *, bar: float | None = None, **details: Any
) -> None:
    """Prints the line; `better` is lower or higher. A bar stands there with the value as a ratio of it."""
    host = fingerprint()
    line: dict[str, Any] = {"name": name, "value": value, "unit": unit, "better": better}
    if bar is not None:
        met = value <= bar if better == "lower" else value >= bar
        line |= {"bar": bar, "of_bar": round(value / bar, 3), "meets_bar": met}
    line |= details
    print(json.dumps(line | {"host": {"class": host.host_class, "cpu": host.cpu_model, "cores": host.cores}}))
