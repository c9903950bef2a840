# SPDX-License-Identifier: Apache-2.0
"""Generators of load, as reports name them."""

from __future__ import annotations

from typing import Final, Literal

from nalm_core.report.run_report import Model, Name

Kind = Literal["inside"]
"""`inside`: a generator in the NF's own process (nalm_traffic.h)."""


class Generator(Model):
    """What offered the load."""

    name: Name
    kind: Kind


INSIDE: Final = Generator(name="inside", kind="inside")
