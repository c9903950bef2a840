# SPDX-License-Identifier: BSD-3-Clause
"""SIGHUP: routes, rules and back ends change while packets pass. No packet is lost, and mistakes change
nothing. So do single flow entries, through the socket of `[openflow] control`."""

import socket
from collections.abc import Iterator
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG as GOLDEN
from golden_nf import NF_FOLDER, Nf, size_of_tier
from running_nf import RUN_SECONDS, Running, running
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
REPEATED = {"two lcores", "workers"}
"""Models whose code others meet too."""
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


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in REPEATED)) for name in MODELS]
)
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


PREFIX_ENTRIES = "".join(
    f"flow 1 {length} eth_type=0x0800,ipv4_dst=198.{length}.0.0/{length} write:output=2\n"
    for length in range(16, 28)
)
FLOW_ENTRIES = f"flow 0 0 any goto=1\nflow 1 0 any write:output=1\n{PREFIX_ENTRIES}"


class Control:
    """A controller: a line for each flow-mod, a line for each answer."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(RUN_SECONDS)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("r")

    def ask(self, *lines: str) -> list[str]:
        """Sends lines at once and reads their answers."""
        self._socket.sendall("".join(f"{line}\n" for line in lines).encode())
        return [self._answers.readline().rstrip("\n") for _ in lines]

    def close(self) -> None:
        """Leaves."""
        self._answers.close()
        self._socket.close()


@pytest.fixture(params=["interpreted", "specialised"])
def sets(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """Settings of a chain of openflow alone with a socket."""
    (tmp_path / "rules").write_text(FLOW_ENTRIES)
    yield [
        "chain.stages=openflow",
        f"traffic.capture={NF_FOLDER / 'traffic' / 'mixed.pcap'}",
        "traffic.loop=forever",
        f"openflow.rules={tmp_path / 'rules'}",
        f"openflow.control={tmp_path / 'control'}",
        f"openflow.mode={request.param}",
    ]
    assert not (tmp_path / "control").exists(), "the socket is left behind"


def forwarded(run: Running) -> int:
    """Packets that the stage has sent on so far."""
    return int(run.ask("/nalm/stages")["openflow"]["output"])


def more_packets(run: Running) -> None:
    """Waits until packets have met the tables as they are."""
    before = forwarded(run)
    run.until(lambda: forwarded(run) > before + 2000)


@pytest.mark.sanitised
@pytest.mark.parametrize("model", [pytest.param("two lcores", marks=pytest.mark.nightly), "workers"])
def test_flow_mods_while_packets_pass(nf: Nf, tmp_path: Path, sets: list[str], model: str) -> None:
    lcores, settings = MODELS[model]
    with running(nf, GOLDEN, [*sets, *settings], lcores) as run:
        run.wait_for("openflow: takes flow-mods at ")
        control = Control(tmp_path / "control")
        more_packets(run)
        assert control.ask(
            "add flow 1 8 eth_type=0x0800,ipv4_dst=10.0.0.0/8 write:output=3",
            "modify flow 1 0 any write:output=4",
            "delete flow 1 16 eth_type=0x0800,ipv4_dst=198.16.0.0/16",
        ) == ["ok", "ok", "ok"]
        more_packets(run)
        gone, wrong, group = control.ask(
            "delete flow 1 16 eth_type=0x0800,ipv4_dst=198.16.0.0/16",
            "add flow 1 1 colour=red drop",
            "add group 1 indirect output=1",
        )
        assert gone.startswith("refused: table 1 has no entry")
        assert wrong == "refused: colour=red: expected a field and its value, like eth_type=0x0800"
        assert group.startswith("refused: expected `add flow`")
        (tmp_path / "rules").write_text(FLOW_ENTRIES.replace("write:output=1", "write:output=5"))
        run.hang_up()
        run.wait_for("reload 1: in effect")
        more_packets(run)
        assert control.ask("modify flow 0 0 any write:output=6") == ["ok"]
        more_packets(run)
        control.close()
        totals = run.end()
    assert "openflow: control: message 5: colour=red" in "".join(run.lines)
    ports = totals["openflow"]["ports"]
    assert {"1", "3", "4", "5", "6"} <= set(ports), ports
    assert totals["lost"] == 0


def test_a_place_where_no_socket_can_be(nf: Nf, tmp_path: Path, sets: list[str]) -> None:
    with running(nf, GOLDEN, [*sets, f"openflow.control={tmp_path}/no/control"]) as run:
        run.wait_for("openflow: cannot take flow-mods at [openflow] control =")
        assert run.process.wait() == 1
