# SPDX-License-Identifier: BSD-3-Clause
"""Builds the chain that a configuration of the NF describes: the same file, the same `section.key=value`."""

from collections.abc import Callable, Mapping
from configparser import ConfigParser
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from spec.acl import Acl, generate_rules
from spec.acl import read_rules as read_acl_rules
from spec.dpi import Dpi, read_patterns, read_rules
from spec.fragments import Reassembly
from spec.l2fwd import Customers, L2fwd, Pbb, Stations, address, read_customers, read_stations
from spec.l3fwd import L3fwd, read_routes
from spec.lb import Lb, LbConfig, read_services
from spec.models import Arrival, Build, ModelConfig, run_model
from spec.nat import Nat, NatConfig
from spec.nop import Nop
from spec.openflow import Openflow, Pipeline, generate_hops
from spec.openflow import read_rules as read_flows
from spec.packet import ICMP, TCP, UDP
from spec.services import Shaper, read_shares
from spec.stage import Replayed, Stage
from spec.upf import FarStage, GtpDecap, PdrStage, QerStage, UrrStage, UserPlane
from spec.upf_sessions import read_sessions

Planes = dict[tuple[int, int], UserPlane]
"""What the user plane's stages of one chain share: by index and count of the instances."""
UPF_STAGES: dict[str, Callable[[UserPlane], Stage]] = {
    "gtp_decap": GtpDecap,
    "pdr": PdrStage,
    "qer": QerStage,
    "urr": UrrStage,
    "far": FarStage,
}


@dataclass(frozen=True)
class Source:
    """What stages are made of."""

    values: ConfigParser
    folder: Path
    planes: Planes


@dataclass(frozen=True)
class Chain:
    """Stages in pass order, and how they get packets. Keeps the first instance of each stage."""

    stages: list[Stage]
    builds: list[Build]
    model: ModelConfig
    arrival: Arrival

    def replay(self, frames: list[bytes]) -> Replayed:
        """The NF's expected result for the frames."""
        return run_model(self.model, self.builds, frames, self.arrival)


def read_chain(path: Path, settings: Mapping[str, str]) -> Chain:
    """The chain of the file at `path`; `settings` (by `section.key`) replace the file's values."""
    values = ConfigParser(interpolation=None, comment_prefixes=("#", ";"), inline_comment_prefixes=None)
    values.read_string(path.read_text(encoding="ascii"))
    for name, value in settings.items():
        section, key = name.split(".", 1)
        if not values.has_section(section):
            values.add_section(section)
        values[section][key] = value
    names = [name.strip() for name in values["chain"]["stages"].split(",")]
    source = Source(values, path.parent, {})
    stages = [_stage(name, source, 0, 1) for name in names]
    builds = [_build(name, source, first) for name, first in zip(names, stages, strict=True)]
    model = ModelConfig(
        values.get("model", "model", fallback="rtc"),
        values.get("model", "state", fallback="lockfree"),
        values.getint("model", "workers", fallback=1),
        values.getint("model", "databases", fallback=1),
    )
    arrival = Arrival(
        int(values["chain"]["batch"]), int(values["traffic"]["ns_per_packet"]), _reassembly(values)
    )
    return Chain(stages, builds, model, arrival)


def _reassembly(values: ConfigParser) -> Reassembly | None:
    if values.get("io", "fragments", fallback="pass") == "pass":
        return None
    return Reassembly(
        values.getint("io", "fragment_datagrams", fallback=256),
        values.getint("io", "fragment_timeout_ms", fallback=30000) * 1_000_000,
    )


def _build(name: str, source: Source, first: Stage) -> Build:
    """Makes a stage's instances; if there is only one, it is the one that the chain keeps."""
    return lambda index, count: first if count == 1 else _stage(name, source, index, count)


def _stage(name: str, source: Source, index: int, count: int) -> Stage:
    values, folder = source.values, source.folder
    if name in UPF_STAGES:
        if (index, count) not in source.planes:
            source.planes[index, count] = _user_plane(values, folder)
        return UPF_STAGES[name](source.planes[index, count])
    makers: dict[str, Callable[[], Stage]] = {
        "nop": Nop,
        "nat": lambda: _nat(values, index, count),
        "acl": lambda: _acl(values[name], folder),
        "dpi": lambda: _dpi(values[name], folder, index, count),
        "lb": lambda: _lb(values[name], folder, index, count),
        "openflow": lambda: _openflow(values[name], folder, count),
        "l2fwd": lambda: _l2fwd(values[name], folder),
        "pbb": lambda: _pbb(values[name], folder),
        "l3fwd": lambda: _l3fwd(values[name], folder),
    }
    return makers[name]()


def _user_plane(values: ConfigParser, folder: Path) -> UserPlane:
    section = values["pdr"]
    if section.get("sessions_generated", "off") == "on":
        raise ValueError("the spec knows no generated sessions")
    return UserPlane(
        n3=IPv4Address(values.get("network", "n3", fallback="192.0.2.254")).packed,
        rules=read_sessions(folder / section["sessions"]) if "sessions" in section else {},
        policies=read_rules(folder / section["policies"]) if "policies" in section else [],
        burst_ms=values.getint("qer", "burst_ms", fallback=100),
    )


def _acl(section: Mapping[str, str], folder: Path) -> Acl:
    rules = read_acl_rules(folder / section["rules"])
    rules += generate_rules(int(section.get("rules_generated", "0")), int(section.get("rules_seed", "1")))
    return Acl(rules, section.get("default", "deny") == "permit")


def _lb(section: Mapping[str, str], folder: Path, index: int, count: int) -> Lb:
    ages = {"tcp": "7440", "tcp_opening": "60", "tcp_closing": "240", "udp": "300"}
    return Lb(
        LbConfig(
            services=read_services(folder / section["services"]),
            maglev_size=int(section.get("maglev_size", "65537")),
            entries=int(section.get("entries", "65536")),
            any_opens=section.get("tcp_open", "syn") == "any",
            timeouts_s={age: int(section.get(f"{age}_timeout_s", usual)) for age, usual in ages.items()},
        ),
        index,
        count,
    )


def _openflow(section: Mapping[str, str], folder: Path, count: int) -> Openflow:
    pipeline = Pipeline(groups=generate_hops(int(section.get("next_hops_generated", "0"))))
    generated, table, seed = (
        int(section.get(f"prefixes_{key}", usual))
        for key, usual in (("generated", "0"), ("table", "0"), ("seed", "1"))
    )
    hops = len(pipeline.groups)
    read_flows(folder / section["rules"], pipeline)
    pipeline.generate(generated, table, seed, hops)
    pipeline.sort()
    return Openflow(pipeline, count)


def _dpi(section: Mapping[str, str], folder: Path, index: int, count: int) -> Dpi:
    if int(section.get("rules_generated", "0")) or int(section.get("patterns_generated", "0")):
        raise ValueError("the spec does not support generated rules of dpi")
    rules = read_rules(folder / section["rules"]) if "rules" in section else []
    rules += read_patterns(folder / section["patterns"]) if "patterns" in section else []
    shaper = None
    if "services" in section:
        kbit = int(section.get("shape_mbit", "0")) * 1000
        shaper = Shaper(
            read_shares(folder / section["services"]),
            kbit * (index + 1) // count - kbit * index // count,
            int(section.get("shape_burst_ms", "100")),
        )
    return Dpi(rules, int(section["mark_dscp"]), int(section.get("inspect_packets", "0")), shaper)


def _l2fwd(section: Mapping[str, str], folder: Path) -> L2fwd:
    stations = read_stations(folder / section["stations"]) if "stations" in section else Stations()
    stations.generate(int(section.get("stations_generated", "0")), int(section.get("stations_seed", "1")))
    return L2fwd(
        stations,
        floods=section.get("unknown", "flood") == "flood",
        switches_ip=section.get("frames", "all") == "all",
    )


def _pbb(section: Mapping[str, str], folder: Path) -> Pbb:
    customers = read_customers(folder / section["customers"]) if "customers" in section else Customers()
    customers.generate(int(section.get("customers_generated", "0")), int(section.get("customers_seed", "1")))
    return Pbb(
        customers,
        bridge=address(section.get("bridge", "02:00:00:ff:00:01")),
        service=int(section.get("service", "256")),
        vlan=int(section.get("vlan", "1")),
    )


def _l3fwd(section: Mapping[str, str], folder: Path) -> L3fwd:
    routes = read_routes(folder / section["routes"])
    generated, generated6 = (int(section.get(key, "0")) for key in ("routes_generated", "routes6_generated"))
    routes.generate(generated, generated6, int(section.get("routes_seed", "1")))
    return L3fwd(routes, passes_others=section.get("others", "drop") == "pass")


def _nat(values: ConfigParser, index: int, count: int) -> Nat:
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
        ),
        index,
        count,
    )
