# SPDX-License-Identifier: BSD-3-Clause
"""Builds the chain that a configuration of the NF describes: the same file, the same `section.key=value`."""

from collections.abc import Mapping
from configparser import ConfigParser
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from spec.dpi import Dpi, read_rules
from spec.l3fwd import L3fwd, read_routes
from spec.nat import Nat, NatConfig
from spec.nop import Nop
from spec.packet import ICMP, TCP, UDP
from spec.stage import Replayed, Stage, run_chain


@dataclass(frozen=True)
class Chain:
    """Stages in pass order, and how packets are handed to them."""

    stages: list[Stage]
    batch: int
    ns_per_packet: int

    def replay(self, frames: list[bytes]) -> Replayed:
        """What the NF is to make of the frames."""
        return run_chain(self.stages, frames, self.batch, self.ns_per_packet)


def read_chain(path: Path, settings: Mapping[str, str]) -> Chain:
    """The chain of the file at `path`, with `settings` (by `section.key`) in place of the file's values."""
    values = ConfigParser(interpolation=None, comment_prefixes=("#", ";"), inline_comment_prefixes=None)
    values.read_string(path.read_text(encoding="ascii"))
    for name, value in settings.items():
        section, key = name.split(".", 1)
        values[section][key] = value
    stages = [_stage(name.strip(), values, path.parent) for name in values["chain"]["stages"].split(",")]
    return Chain(stages, int(values["chain"]["batch"]), int(values["traffic"]["ns_per_packet"]))


def _stage(name: str, values: ConfigParser, folder: Path) -> Stage:
    if name == "nop":
        return Nop()
    if name == "nat":
        return _nat(values)
    section = values[name]
    if name == "dpi":
        return Dpi(read_rules(folder / section["patterns"]), int(section["mark_dscp"]))
    if int(section["routes_generated"]) != 0:
        raise ValueError("the spec knows no generated routes; set l3fwd.routes_generated=0")
    return L3fwd(read_routes(folder / section["routes"]))


def _nat(values: ConfigParser) -> Nat:
    section = values["nat"]
    return Nat(
        NatConfig(
            inside=IPv4Network(values["network"]["inside"]),
            pool=IPv4Network(section["pool"]),
            port_min=int(section["port_min"]),
            port_max=int(section["port_max"]),
            entries=int(section["entries"]),
            timeouts_s={
                TCP: int(section["tcp_timeout_s"]),
                UDP: int(section["udp_timeout_s"]),
                ICMP: int(section["icmp_timeout_s"]),
            },
            tcp_transitory_timeout_s=int(section.get("tcp_transitory_timeout_s", "240")),
        )
    )
