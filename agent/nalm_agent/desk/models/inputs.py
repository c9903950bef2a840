# SPDX-License-Identifier: Apache-2.0
"""Inputs of models: numbers with units, lists, JSON files, rate reports."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.rate_report import RateReport
from nalm_core.text.json_text import JsonError, read_json
from nalm_core.text.mistakes import first_mistake
from pydantic import ValidationError

from nalm_agent.runtime.errors import UsageError

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?([kKMGT]?)i?B?")
_DECIMAL = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BINARY = {"": 1, "k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def number(text: str, name: str) -> float:
    """`2.1M` as 2,100,000. Raises ModelInputError."""
    found = _parts(text, name)
    return _finite(float(found[1] + (found[2] or "")) * _DECIMAL[found[3]], text, name)


def size(text: str, name: str) -> int:
    """`48K` as 49,152 bytes. Raises ModelInputError."""
    found = _parts(text, name)
    return int(_finite(float(found[1] + (found[2] or "")) * _BINARY[found[3]], text, name))


def numbers(text: str, name: str) -> list[float]:
    """Numbers separated by commas. Raises ModelInputError."""
    return [number(part, name) for part in text.split(",")]


def whole_numbers(text: str, name: str) -> list[int]:
    """Whole numbers separated by commas. Raises ModelInputError."""
    found = numbers(text, name)
    if fraction := next((each for each in found if each != int(each)), None):
        raise ModelInputError(name, f"expected whole numbers, not {fraction:g}")
    return [int(each) for each in found]


def pairs(text: str, name: str) -> list[tuple[str, float]]:
    """`1=2.1M,2=4M` as names and numbers. Raises ModelInputError."""
    found = []
    for part in text.split(","):
        key, sign, value = part.partition("=")
        if not sign:
            raise ModelInputError(name, f"expected NAME=NUMBER, not {part!r}")
        if not number(value, f"{name} {key.strip()}") > 0:
            raise ModelInputError(f"{name} {key.strip()}", f"expected a number above 0, not {value.strip()}")
        found.append((key.strip(), number(value, f"{name} {key.strip()}")))
    return found


def table(text: str, name: str) -> dict[str, float]:
    """`cores=2.4G,memory=680M` by name, each of which occurs once. Raises ModelInputError."""
    found: dict[str, float] = {}
    for key, value in pairs(text, name):
        if key in found:
            raise ModelInputError(name, f"names {key} twice")
        found[key] = value
    return found


def given(value: float | None, name: str) -> float:
    """The value of an input that the model needs. Raises ModelInputError without it."""
    if value is None:
        raise ModelInputError(name, "is missing: give it as an option or by a report")
    return value


def read_file(name: str) -> Mapping[str, Any]:
    """The table in a JSON or TOML file. Raises UsageError."""
    try:
        data = Path(name).read_bytes()
        found = tomllib.loads(data.decode()) if name.endswith(".toml") else read_json(data)
    except (OSError, ValueError, JsonError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{name} cannot be read: {reason}", hint="give a JSON or TOML file") from error
    if not isinstance(found, dict):
        raise UsageError(f"{name} is not a table of names and values", hint="see docs/models.md")
    return found


def rate_report(name: str) -> RateReport:
    """The report that `nalm rate --json` wrote. Raises UsageError."""
    try:
        return RateReport.model_validate(read_file(name))
    except ValidationError as error:
        raise UsageError(
            f"{name} is not a rate report that this nalm can use: {first_mistake(error.errors())}",
            hint="`nalm rate --mode mrr --json FILE` writes one",
        ) from error


def _finite(value: float, text: str, name: str) -> float:
    if not isfinite(value):
        raise ModelInputError(name, f"expected a number that fits into floating point, not {text.strip()}")
    return value


def _parts(text: str, name: str) -> re.Match[str]:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        raise ModelInputError(name, f"expected a number such as 12, 2.1M or 1e6, not {text.strip()!r}")
    return found
