# SPDX-License-Identifier: Apache-2.0
"""A scenario's `load` in nalm.toml: a closed loop, or what is offered in an open loop."""

from __future__ import annotations

import re
from typing import Annotated

from nalm_core.report.offered_load import CLOSED, LONGEST_LOAD, LoadShape, OfferedLoad, Ramp
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from nalm_agent.config.generator_limits import MOST_BURST, MOST_CV, MOST_NEW_FLOWS

GAP_BYTES = 20
"""Preamble and gap of an Ethernet frame."""
FAMILIES = ("cbr", "poisson", "geometric")
KINDS = ("pps", "mbit", "mrr", "ndr", "cur", "burst_gap_us")


class LoadConfig(BaseModel):
    """An open loop. Exactly one of KINDS says how much is offered."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    pps: Annotated[float, Field(ge=1)] | None = None
    mbit: Annotated[float, Field(gt=0)] | None = None
    """10^6 bits per second of frames of frame_bytes."""
    frame_bytes: Annotated[float, Field(ge=64)] | None = None
    """Mean size of a frame, with its check sequence."""
    mrr: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of base's rate at full load, which is measured once."""
    ndr: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of base's greatest load without loss, which is searched once."""
    cur: Annotated[float, Field(ge=0.05, le=0.95)] | None = None
    """The load at which base has this CUR, which is searched once."""
    burst_gap_us: Annotated[float, Field(gt=0)] | None = None
    """Microseconds from a burst to the next."""
    burst: Annotated[int, Field(ge=2, le=MOST_BURST, strict=True)] | None = None
    """Packets that are due at the same time. None: as the NF's configuration has them."""
    new_flows: Annotated[int, Field(ge=1, le=MOST_NEW_FLOWS, strict=True)] | None = None
    """Flows per second that take the place of others. None: as the NF's configuration has them."""
    ramp: Ramp | None = None
    """A rate that rises within each turn, again and again. None: it stays as it is."""
    with_overhead: Annotated[bool, Field(strict=True)] = False
    """Whether mbit includes the 20 bytes of preamble and gap of each frame."""
    arrivals: str | None = None
    """Gaps between packets: cbr, poisson, geometric, nbinom:CV. None: as the NF's configuration has them."""

    @model_validator(mode="after")
    def _one_kind(self) -> LoadConfig:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"expected exactly one of {', '.join(KINDS)}, found {found}")
        if self.mbit is None and (self.frame_bytes is not None or self.with_overhead):
            raise ValueError("frame_bytes and with_overhead belong to mbit")
        if self.mbit is not None and self.frame_bytes is None:
            raise ValueError("mbit needs frame_bytes, the mean size of a frame with its check sequence")
        if self.burst_gap_us is not None and self.burst is None:
            raise ValueError("burst_gap_us needs burst, the number of packets of a burst")
        if self.new_flows is not None and self.rate_pps is not None and self.new_flows > self.rate_pps:
            raise ValueError(
                f"new_flows of {self.new_flows:,} are more than its {self.rate_pps:,} packets/s to open them"
            )
        if len(self.name) > LONGEST_LOAD:
            raise ValueError(
                f"its name {self.name!r} has more than {LONGEST_LOAD} characters: round its numbers"
            )
        return self

    @model_validator(mode="after")
    def _usable_arrivals(self) -> LoadConfig:
        if self.arrivals is not None:
            _require_arrivals(self.arrivals)
        return self

    @property
    def rate_pps(self) -> int | None:
        """Packets per second; None if the load must be found on base."""
        if self.pps is not None:
            return round(self.pps)
        if self.burst_gap_us is not None and self.burst is not None:
            return max(1, round(self.burst / self.burst_gap_us * 1e6))
        if self.mbit is None or self.frame_bytes is None:
            return None
        return max(1, round(self.mbit * 1e6 / 8 / (self.frame_bytes + self._overhead)))

    @property
    def name(self) -> str:
        """The load as part of a series' name: `2Mpps/poisson`."""
        if self.pps is not None:
            said = f"{round(self.pps) / 1e6:.6f}".rstrip("0").rstrip(".") + "Mpps"
        elif self.mrr is not None:
            said = f"{self.mrr:.6g}MRR"
        elif self.ndr is not None:
            said = f"{self.ndr:.6g}NDR"
        elif self.cur is not None:
            said = f"{self.cur:.6g}CUR"
        elif self.burst_gap_us is not None:
            said = f"{self.burst_gap_us:.6g}us"
        else:
            overhead = f"+{self._overhead}B" if self._overhead else ""
            said = f"{self.mbit:.6g}Mbit{overhead}/{self.frame_bytes:.6g}B"
        shaped = [] if self.arrivals is None else [self.arrivals]
        shaped += [] if self.burst is None else [f"x{self.burst}"]
        shaped += [] if self.new_flows is None else [f"+{self.new_flows}"]
        shaped += [] if self.ramp is None else [f"ramp{self.ramp.text}"]
        return "/".join([said, *shaped])

    @property
    def shape(self) -> LoadShape:
        """What it has in addition to its rate."""
        return LoadShape(arrivals=self.arrivals, burst=self.burst, new_flows=self.new_flows, ramp=self.ramp)

    def offered(self, pps: int, found: str | None = None) -> OfferedLoad:
        """The load at this rate. found: how the rate follows from it."""
        return OfferedLoad(name=self.name, pps=pps, found=found, **dict(self.shape))

    @property
    def _overhead(self) -> int:
        return GAP_BYTES if self.with_overhead else 0


def _require_arrivals(text: str) -> None:
    family, _, cv = text.partition(":")
    known = text in FAMILIES if family != "nbinom" else re.fullmatch(r"\d+(\.\d+)?", cv) is not None
    if not known or (cv and not 0 < float(cv) <= MOST_CV):
        raise ValueError(
            f"arrivals of {text!r}; expected {', '.join(FAMILIES)} or nbinom:CV with a CV above 0 and up to "
            f"{MOST_CV:g}"
        )


def _or_closed(value: object) -> object:
    """None for a closed loop."""
    if value == CLOSED:
        return None
    if not isinstance(value, dict | LoadConfig):
        raise ValueError('expected "closed" or a table such as { pps = 1e6 }')
    return value


ScenarioLoad = Annotated[LoadConfig | None, BeforeValidator(_or_closed)]
"""None: closed loop."""
