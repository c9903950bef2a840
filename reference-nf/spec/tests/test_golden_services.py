# SPDX-License-Identifier: BSD-3-Clause
"""Shares of services through the real NF, in every execution model."""

from functools import cache
from pathlib import Path
from typing import Any

import golden_packets as packets
import pytest
from golden_nf import ONE_OF_EACH_MODEL as MODELS
from golden_nf import Nf
from scapy.layers.inet import ICMP, TCP, UDP
from spec.dpi import Dpi

PATTERNS = "web_get pass ^GET\nweb_post mark ^POST\nvideo pass ^VIDEO\nbad drop ^BAD\n"
SERVICES = "# shares\nweb 20 web_*\nvideo 40 video\nbad 1 bad\n"
TEXTS = (b"GET", b"POST", b"VIDEO", b"nothing", b"BAD", b"")
EXACT = ("rtc", "pipeline", "two workers")
"""The others give packets to instances by batches; each instance has its own part of the rate."""
DAILY = ("rtc", "two workers")


@cache
def frames() -> list[bytes]:
    """First video, which may use what others leave, and a little else; then all of them."""
    video = [text for text in (b"VIDEO", b"VIDEO", b"GET") for _ in range(100)]
    rest = [TEXTS[number % len(TEXTS)] for number in range(600)]
    made = [
        packets.ether(
            packets.out(src=f"10.10.0.{number % 7 + 1}")
            / (TCP if number % 2 else UDP)(sport=5000 + number % 11, dport=80)
            / (text.ljust(40 + number % 5 * 200) if text else b"")
        )
        for number, text in enumerate(video + rest)
    ]
    made[350:350] = [
        packets.ether(packets.out() / ICMP() / b"ping"),
        packets.ether(packets.out6() / UDP() / b"GET"),
    ]
    return made


def written(folder: Path, **keys: object) -> dict[str, str]:
    """A chain with these services."""
    (folder / "patterns").write_text(PATTERNS)
    (folder / "services").write_text(SERVICES)
    settings = {"chain.stages": "dpi", "chain.batch": "16", "traffic.ns_per_packet": "10000"}
    settings |= {"dpi.patterns": str(folder / "patterns"), "dpi.services": str(folder / "services")}
    return settings | {f"dpi.{key}": str(value) for key, value in keys.items()}


def shares(totals: dict[str, Any]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = totals["dpi_services"]
    return found


@pytest.mark.sanitised
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in DAILY)) for name in MODELS]
)
def test_shares_of_a_rate(nf: Nf, tmp_path: Path, name: str) -> None:
    settings = written(tmp_path, shape_mbit=200, shape_burst_ms=1) | MODELS[name]
    if name not in EXACT:
        totals = nf.replay(frames(), settings).totals
        assert totals["balanced"]
        passed, over = (sum(s[key] for s in shares(totals).values()) for key in ("packets", "over_packets"))
        assert (passed, over) == (totals["sent"], totals["policy"] - 100)
        assert over > 0
        return
    both = nf.run_as_spec(frames(), settings)
    (dpi,) = (stage for stage in both.chain.stages if isinstance(stage, Dpi))
    assert dpi.shaper is not None
    if name != "two workers":
        assert shares(both.ran.totals) == dpi.shaper.report()
    assert all(shares(both.ran.totals)[service]["over_packets"] for service in ("web", "video"))


@pytest.mark.sanitised
@pytest.mark.parametrize("workers", ["2", "3"])
def test_a_queue_each_changes_no_rate(nf: Nf, tmp_path: Path, workers: str) -> None:
    """Instances have their parts of the rate in the time of all packets, whoever receives these."""
    settings = written(tmp_path, shape_mbit=200, shape_burst_ms=1) | {"model.workers": workers}
    ran = nf.run_as_spec(frames(), settings | {"io.offload": "rss"}).ran
    assert shares(ran.totals) == shares(nf.replay(frames(), settings).totals)
    assert shares(ran.totals)["video"]["over_packets"]


def test_counted_alone(nf: Nf, tmp_path: Path) -> None:
    """Without a rate nothing is dropped, and the proportions are those of the traffic."""
    both = nf.run_as_spec(frames(), written(tmp_path))
    found = shares(both.ran.totals)
    assert {name: share["packets"] for name, share in found.items()} == {
        "other": 201,
        "web": 301,
        "video": 300,
        "bad": 0,
    }
    assert sum(share["over_packets"] for share in found.values()) == 0


def test_by_flow(nf: Nf, tmp_path: Path) -> None:
    """A decided flow's packets belong to the service of the flow's rule."""
    settings = written(tmp_path, shape_mbit=100, shape_burst_ms=1, inspect_packets=2)
    settings |= {"chain.flow_cache": "on", "chain.stages": "nat,dpi,l3fwd"}
    assert "by_flow" in nf.run_as_spec(frames(), settings).ran.outcomes("dpi")
