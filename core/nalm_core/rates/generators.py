# SPDX-License-Identifier: Apache-2.0
"""Generators of load, as reports name them."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from nalm_core.rates.presets import INSIDE_NAME
from nalm_core.report.run_report import Model, Name

Kind = Literal["inside", "trex", "testpmd", "pktgen"]
"""`inside`: a generator in the NF's own process (nalm_traffic.h)."""


class Generator(Model):
    """What offered the load."""

    name: Name
    kind: Kind
    version: str | None = Field(default=None, max_length=100, exclude_if=lambda found: found is None)
    """As the generator says it."""
    devices: list[str] = Field(default_factory=list, exclude_if=lambda found: not found)
    """The NF's devices to which it sent."""

    @property
    def text(self) -> str:
        kind = self.kind if self.version is None else f"{self.kind} {self.version}"
        return self.name if self.name == self.kind else f"{self.name} ({kind})"


INSIDE: Final = Generator(name=INSIDE_NAME, kind="inside")
