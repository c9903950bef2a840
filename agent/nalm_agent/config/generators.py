# SPDX-License-Identifier: Apache-2.0
"""nalm.toml's generators outside of the NF's process: where they are, and what they send."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from typing import Annotated, Literal

from nalm_core.rates.generators import INSIDE
from nalm_core.report.run_report import Name
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from nalm_agent.config.placeholders import check_placeholders

LEAST_FRAME, MOST_FRAME = 64, 9216
"""Bytes with check sequence."""
PORT_OF = {"trex": 4501, "pktgen": 22022}
"""Where the generator listens by default."""
RUN_PLACEHOLDERS = frozenset({"source", "build", "features", "traffic", "run_dir"})
_PCI = re.compile(r"^([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7](,|$)")

_OF_COMMAND = "its command says it (docs/generators.md)"
_IMPOSSIBLE = {
    "testpmd": {
        "source": _OF_COMMAND,
        "destination": _OF_COMMAND,
        "flows": _OF_COMMAND,
        "user": "nobody else has the process",
        "wait_seconds": "nobody else has the process",
        "latency_pps": "it measures no latency",
    },
    "pktgen": {
        "queues": "its option -m says them",
        "flows": "it sends one flow; its range mode is not used",
        "user": "it has no owners",
        "latency_pps": "its latency is not read",
    },
}
"""Keys that a kind does not have, with the reason."""
_ONE_SIZE = ("testpmd", "pktgen")


class GeneratorConfig(BaseModel):
    """One generator."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    kind: Literal["trex", "testpmd", "pktgen"]
    command: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)] | None = None
    """Starts testpmd, interactive; on another host by ssh."""
    host: Annotated[str, Field(min_length=1)] | None = None
    port: Annotated[int, Field(ge=1, le=65535, strict=True)] | None = None
    """TCP port of its server."""
    user: Annotated[str, Field(min_length=1)] = "nalm"
    """In whose name ports are taken."""
    wait_seconds: Annotated[float, Field(ge=0, le=86_400)] = 600
    """Time for which to wait for others that use it."""
    ports: Annotated[list[Annotated[int, Field(ge=0, le=255, strict=True)]], Field(min_length=1)]
    """The generator's own ports: pairs of a near and a far one, or one that is both."""
    queues: Annotated[int, Field(ge=1, le=64, strict=True)] | None = None
    """Transmit queues, each with a core, of every sending port. None: as the generator has them."""
    directions: Literal["outbound", "inbound", "both"] = "outbound"
    """From the near ports, from the far ones, or from all."""
    frames: dict[
        Annotated[int, Field(ge=LEAST_FRAME, le=MOST_FRAME)], Annotated[int, Field(ge=1, le=1000)]
    ] = {LEAST_FRAME: 1}
    """Frame sizes with check sequence, each with its share of the packets."""
    source: IPv4Address = IPv4Address("198.18.0.1")
    destination: IPv4Address = IPv4Address("198.19.0.1")
    """Of packets from the near ports; the far ports send the other way."""
    flows: Annotated[int, Field(ge=1, le=50_000, strict=True)] = 1
    """UDP source ports in turn."""
    latency_pps: Annotated[int, Field(ge=0, le=100_000, strict=True)] = 0
    """Packets of every sending port, a part of the load, whose latency is measured. 0: none."""
    devices: list[Annotated[str, Field(min_length=1)]] = []
    """The NF's devices: PCI addresses, or DPDK's virtual devices. They become options of {eal}."""
    arguments: list[Annotated[str, Field(min_length=1)]] = []
    """Appended to the NF's command in place of `rates.arguments`."""

    @field_validator("ports")
    @classmethod
    def _once_each(cls, ports: list[int]) -> list[int]:
        if len(set(ports)) < len(ports):
            raise ValueError("a port is named twice")
        return ports

    @field_validator("frames")
    @classmethod
    def _some_frames(cls, frames: dict[int, int]) -> dict[int, int]:
        if not 1 <= len(frames) <= 16:
            raise ValueError("expected 1 to 16 sizes, such as { 64 = 7, 594 = 4, 1518 = 1 }")
        return frames

    @field_validator("arguments")
    @classmethod
    def _placeholders(cls, arguments: list[str]) -> list[str]:
        check_placeholders(arguments, RUN_PLACEHOLDERS)
        return arguments

    @model_validator(mode="after")
    def _reachable(self) -> GeneratorConfig:
        if self.kind == "testpmd" and (
            self.command is None or self.host is not None or self.port is not None
        ):
            raise ValueError(
                'kind = "testpmd" needs command, which starts it (elsewhere by ssh), and no host and port'
            )
        if self.kind != "testpmd" and (self.host is None or self.command is not None):
            raise ValueError(f'kind = "{self.kind}" needs host, where its server runs, and no command')
        return self

    @model_validator(mode="after")
    def _possible(self) -> GeneratorConfig:
        for key in sorted(self.model_fields_set & _IMPOSSIBLE.get(self.kind, {}).keys()):
            raise ValueError(f'kind = "{self.kind}" has no {key}: {_IMPOSSIBLE[self.kind][key]}')
        if self.kind in _ONE_SIZE and len(self.frames) > 1:
            raise ValueError(f'kind = "{self.kind}" sends frames of one size; found {len(self.frames)}')
        if self.kind == "testpmd" and (self.directions == "both") != (len(self.ports) > 1):
            raise ValueError(
                'kind = "testpmd" sends at all ports: expected one, or pairs with directions = "both"'
            )
        return self

    @model_validator(mode="after")
    def _ports_fit(self) -> GeneratorConfig:
        if self.directions != "outbound" and len(self.ports) % 2:
            raise ValueError(
                f'directions = "{self.directions}" needs pairs of a near and a far port; '
                f"found {len(self.ports)} ports"
            )
        if len(self.ports) > 1 and len(self.ports) % 2:
            raise ValueError(f"expected one port, or pairs of a near and a far one; found {len(self.ports)}")
        return self

    @property
    def senders(self) -> list[int]:
        """Ports that send."""
        near, far = self._sides()
        return {"outbound": near, "inbound": far, "both": self.ports}[self.directions]

    @property
    def receivers(self) -> list[int]:
        """Ports at which packets come back."""
        near, far = self._sides()
        return {"outbound": far or near, "inbound": near, "both": self.ports}[self.directions]

    def is_near(self, port: int) -> bool:
        return port in self._sides()[0]

    @property
    def address(self) -> tuple[str, int]:
        """Of its server."""
        return self.host or "", self.port or PORT_OF[self.kind]

    @property
    def mean_frame(self) -> float:
        """Bytes with check sequence."""
        return sum(size * share for size, share in self.frames.items()) / sum(self.frames.values())

    def eal_devices(self) -> list[str]:
        """Options of DPDK for the NF's devices."""
        return [f"--allow={one}" if _PCI.match(one) else f"--vdev={one}" for one in self.devices]

    def _sides(self) -> tuple[list[int], list[int]]:
        return (self.ports, []) if len(self.ports) == 1 else (self.ports[::2], self.ports[1::2])


def generator_mistakes(generators: Mapping[Name, GeneratorConfig]) -> Iterator[tuple[list[str], str]]:
    """Names that are taken, each with its path."""
    if INSIDE.name in generators:
        yield (
            ["generator", INSIDE.name],
            f"{INSIDE.name} is the generator in the NF's own process; choose another name",
        )
