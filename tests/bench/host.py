# SPDX-License-Identifier: Apache-2.0
"""The output of every benchmark: one JSON line."""

from __future__ import annotations

import json
from typing import Any

from nalm_agent.host.fingerprint import fingerprint


def print_result(name: str, value: float, unit: str, better: str, **details: Any) -> None:
    """Prints the line; `better` is lower or higher."""
    host = fingerprint()
    line = {"name": name, "value": value, "unit": unit, "better": better} | details
    print(json.dumps(line | {"host": {"class": host.host_class, "cpu": host.cpu_model, "cores": host.cores}}))
