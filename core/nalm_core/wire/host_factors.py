# SPDX-License-Identifier: Apache-2.0
"""What a server answers about properties of hosts, as far as `nalm doctor` needs it."""

from __future__ import annotations

from pydantic import BaseModel


class FactorEffect(BaseModel):
    value: str
    runs: int
    change: float
    error: float | None


class HostFactor(BaseModel):
    name: str
    label: str
    share: float
    significant: bool
    together: list[str]
    effects: list[FactorEffect]
    advice: str | None


class HostFactors(BaseModel):
    """factors: the largest share first."""

    runs: int
    needed: int
    spread: float
    explained: float
    factors: list[HostFactor]
