# SPDX-License-Identifier: BSD-3-Clause
"""SIGHUP: routes, rules and back ends change while packets pass. No packet is lost, and mistakes change
nothing."""

from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import Nf, size_of_tier
from running_nf import Running, running
from scapy.layers.inet import TCP, UDP
from spec.pcap import write_pcap

ROUNDS = size_of_tier(12, 4)
MODELS = {
    "rtc": (1, []),
    "two lcores": (2, []),
    "pipeline": (4, ["model.model=pipeline"]),
    "workers": (4, ["model.workers=2"]),
    "locked": (4, ["model.workers=2", "model.state=locked"]),
    "separated": (6, ["model.workers=2", "model.state=separated"]),
    "flow cache": (1, ["chain.flow_cache=on", "dpi.inspect_packets=2"]),
}
CONFIG = """\
[network]
inside = 10.0.0.0/8
[chain]
stages = acl,lb,dpi,l3fwd
batch = 32
[traffic]
capture = traffic.pcap
loop = forever
replies = as_is
[acl]
rules = acl
[lb]
services = services
maglev_size = 251
entries = 1024
[dpi]
rules = rules
patterns = patterns
[l3fwd]
routes = routes
"""
HOPS = "next_hop 0 02:00:00:00:01:00\nnext_hop 1 02:00:00:00:01:01\n"


class Setup:
    """Files of a configuration whose only live back end has a number, which reloads change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "nf.conf"
        self.config.write_text(CONFIG)
        frames = [
            packets.ether(packets.out(src=f"10.10.1.{n}") / kind(sport=4000 + n, dport=53) / payload)
            for n in range(1, 40)
            for kind in (UDP, TCP)
            for payload in (b"", b"ask", b"GET /")
        ]
        write_pcap(folder / "traffic.pcap", frames)
        (folder / "patterns").write_text("always pass ^GET\n")
        self.use(0)

    def use(self, number: int) -> None:
        """Writes back end, rules and route of this number; earlier back ends are down, and their rules and
        routes removed. acl refuses one client, each time another one."""
        before = "".join(f"backend 10.20.0.{dead + 1}:53 1 down\n" for dead in range(number))
        services = f"service {packets.SERVER}:53 udp\n{before}backend 10.20.0.{number + 1}:53 1\n"
        rule = (
            f"backend_{number} pass udp any any 10.20.0.{number + 1}/32 53\nother pass any any any any any\n"
        )
        acl = f"deny 2 any 10.10.1.{number % 39 + 1}/32 any any any\npermit 1 any any any any any\n"
        (self.folder / "acl").write_text(acl)
        (self.folder / "services").write_text(services)
        (self.folder / "rules").write_text(rule)
        (self.folder / "routes").write_text(f"{HOPS}route 10.20.0.{number + 1}/32 {number % 2}\n")


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def charged(nf: Running, rule: str) -> int:
    """Packets charged to a rule so far."""
    answer = nf.ask(f"/nalm/dpi,{rule}")
    return answer["charged_packets"] if answer else 0


@pytest.mark.parametrize("name", MODELS)
def test_changes_take_effect_while_packets_pass(nf: Nf, setup: Setup, name: str) -> None:
    lcores, settings = MODELS[name]
    with running(nf, setup.config, settings, lcores) as run:
        run.wait_for("nalm-nf: ")
        for number in range(ROUNDS):
            run.until(lambda rule=f"backend_{number}": charged(run, rule) > 0)
            setup.use(number + 1)
            run.hang_up()
            run.wait_for(f"reload {number + 1}: in effect")
        run.until(lambda: charged(run, f"backend_{ROUNDS}") > 0)
        assert run.ask("/nalm/reload") == {"done": ROUNDS, "refused": 0}
        totals = run.end()
    outcomes = {stage["name"]: stage["outcomes"] for stage in totals["stages"]}
    rules = totals["dpi_rules"]
    assert all(rules[f"backend_{number}"]["packets"] for number in range(ROUNDS + 1))
    counted = sum(rule["charged_packets"] for rule in rules.values())
    verdicts = outcomes["dpi"]["matched"] + outcomes["dpi"]["by_flow"]
    assert counted == verdicts, "every packet is charged to the rules in use"
    assert totals["lost"] == 0
    assert outcomes["acl"]["denied"] > 0
    assert totals["in"] == totals["sent"] + totals["bad"] + totals["policy"]


@pytest.mark.sanitised
def test_many_requests_at_once(nf: Nf, setup: Setup) -> None:
    """Several requests may become one reload; the last configuration is in effect in the end."""
    with running(nf, setup.config, lcores=2) as run:
        run.wait_for("nalm-nf: ")
        for number in range(1, 100):
            setup.use(number)
            run.hang_up()
        run.until(lambda: charged(run, "backend_99") > 0)
        run.end()


@pytest.mark.sanitised
def test_a_mistake_changes_nothing(nf: Nf, setup: Setup) -> None:
    with running(nf, setup.config) as run:
        run.wait_for("nalm-nf: ")
        setup.use(1)
        (setup.folder / "patterns").write_text("fine pass a\nbroken pass (\nworse maybe b\n")
        with (setup.folder / "routes").open("a") as routes:
            routes.write("route 10.0.0.0/8 9\n")
        run.hang_up()
        said = "".join(run.wait_for("reload: refused"))
        for mistake in (
            "patterns:2: rule broken",
            "patterns:3: action maybe",
            "routes:4: there is no next_hop",
        ):
            assert mistake in said
        before = charged(run, "backend_0")
        run.until(lambda: charged(run, "backend_0") > before)
        assert charged(run, "backend_1") == 0
        setup.config.unlink()
        run.hang_up()
        assert "cannot read the configuration" in "".join(run.wait_for("reload: refused"))
        assert run.ask("/nalm/reload") == {"done": 0, "refused": 2}
        totals = run.end()
    assert "backend_1" not in totals["dpi_rules"]


def test_too_little_memory_changes_nothing(nf: Nf, setup: Setup) -> None:
    with running(nf, setup.config, megabytes=256) as run:
        run.wait_for("nalm-nf: ")
        setup.config.write_text(CONFIG + "routes_generated = 1000000\nroutes6_generated = 1000000\n")
        setup.use(1)
        run.hang_up()
        said = "".join(run.wait_for("reload: refused"))
        assert "reload: l3fwd: cannot build new tables" in said
        before = charged(run, "backend_0")
        run.until(lambda: charged(run, "backend_0") > before)
        setup.config.write_text(CONFIG)
        run.hang_up()
        run.wait_for("reload 1: in effect")
        run.until(lambda: charged(run, "backend_1") > 0)
        run.end()


def test_what_cannot_change_is_named(nf: Nf, setup: Setup) -> None:
    with running(nf, setup.config) as run:
        run.wait_for("nalm-nf: ")
        changed = CONFIG.replace("batch = 32", "batch = 8").replace("entries = 1024", "entries = 9")
        changed = changed.replace("acl,lb,dpi,l3fwd", "acl,dpi,l3fwd").replace(
            "maglev_size = 251", "maglev_size = 509"
        )
        setup.config.write_text(changed + "[nat]\npool = 203.0.113.0/28\n")
        setup.use(1)
        run.hang_up()
        said = [line for line in run.wait_for("reload 1: in effect") if "cannot change" in line]
        assert sorted(line.split()[1:3] for line in said) == [
            ["[chain]", "batch"],
            ["[chain]", "stages"],
            ["[lb]", "entries"],
        ]
        assert "batch = 8: cannot change while packets pass; it stays 32" in "".join(said)
        run.until(lambda: charged(run, "backend_1") > 0)
        totals = run.end()
    assert [stage["name"] for stage in totals["stages"]][2:6] == ["acl", "lb", "dpi", "l3fwd"]


def test_signals_during_start_and_end(nf: Nf, setup: Setup) -> None:
    with running(nf, setup.config) as run:
        run.wait_for("EAL:")
        setup.use(1)
        run.hang_up()
        run.wait_for("reload 1: in effect")
        run.until(lambda: charged(run, "backend_1") > 0)
        run.hang_up()
        run.end()
