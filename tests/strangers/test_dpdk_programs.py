# SPDX-License-Identifier: Apache-2.0
"""DPDK's own programs from Debian's sources, shared and static, by the steps of dpdk.md."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace

import pytest
from debian_source import source_package
from nalm_core.report.outcome import Outcome
from stranger import DOCUMENTS, FOLDER, NO_COST, Stranger, require
from test_pages import C_UNUSED, Edit
from transcript import blocks

STATIC = (
    *(
        "net_pcap",
        "bus_vdev",
        "bus_pci",
        "mempool_ring",
        "ethdev",
        "net",
        "mbuf",
        "mempool",
        "ring",
        "meter",
        "pci",
    ),
    *(
        "telemetry",
        "cmdline",
        "kvargs",
        "hash",
        "rcu",
        "lpm",
        "fib",
        "rib",
        "acl",
        "eventdev",
        "cryptodev",
        "timer",
        "eal",
    ),
)
"""What the examples need of them; `pkg-config --static` names what all drivers need, too."""
BY_THE_CLOCK = 0.002
"""Counts of a program that sends by the clock do not repeat exactly."""
L2FWD_BY_THE_CLOCK = 0.005
"""It forwards few instructions a packet between its looks at the clock: its counts differed by 0.22 %."""
ROUNDS = "#define ROUNDS 8\n"
COSTLY = f"""
#include <stdint.h>
{ROUNDS}static volatile unsigned nalm_test_zero;
__attribute__((noinline)) static unsigned nalm_test_costly(const uint8_t *packet)
{{
	unsigned sum = 0;
	for (int i = 0; i < ROUNDS; i++)
		sum = sum * 31 + *(const volatile uint8_t *)packet;
	return sum & nalm_test_zero;
}}
"""
"""A function that the first commit calls already, about once for 32 packets. More rounds are planted, so no
other code changes or moves. The address of the next packet needs the result: a CPU would otherwise work on
the packets while the rounds wait for each other, and they would cost nothing."""


NOT_OF_DRIVERS = ("BNXT", "BOND", "DPAA", "I40E", "IXGBE", "MLX5")
"""Drivers whose own commands testpmd leaves out here: their headers are not installed."""


@dataclass(frozen=True)
class Program:
    """One of DPDK's programs: where its sources are, how it runs, and what is changed in it."""

    sources: str
    arguments: tuple[str, ...]
    loop: str
    edits: tuple[Edit, ...]
    """So that it runs on a virtual device, and calls the function that becomes costlier."""
    planted: Edit
    harmless: Edit
    ports: int = 1
    lcores: int = 1
    control: bool = False
    memory_mb: int = 512
    shim: bool = False
    """It includes headers that DPDK does not install."""
    compiled: str = "*.c"
    """The others are included by these."""
    libraries: str = ""
    """Linked besides DPDK."""
    static: tuple[str, ...] = STATIC
    """DPDK's libraries that it needs, where they are linked statically."""
    no_cost: float = NO_COST
    """How far its counts may differ without a change."""
    eal: tuple[str, ...] = ("{eal}",)
    """Options of DPDK's EAL."""
    queues: int = 1
    """Receive queues of a port."""


def main_edit(file: str) -> Edit:
    return Edit(file, "\nint\nmain(int argc, char **argv)", f"{C_UNUSED}\nint\nmain(int argc, char **argv)")


def more_rounds(file: str, rounds: int) -> Edit:
    return Edit(file, ROUNDS, f"#define ROUNDS {rounds}\n")


L2FWD = Program(
    "examples/l2fwd",
    ("--", "-p", "0x3", "-q", "2", "-T", "0"),
    "l2fwd_main_loop",
    (
        Edit("main.c", "\n/* Simple forward. 8< */", f"\n{COSTLY}\n/* Simple forward. 8< */"),
        Edit(
            "main.c",
            "\tdst_port = l2fwd_dst_ports[portid];\n",
            "\tdst_port = l2fwd_dst_ports[portid];\n"
            "\tif ((rte_pktmbuf_mtod(m, const uint8_t *)[19] & 31) == 0)\n"
            "\t\tm = (struct rte_mbuf *)((char *)m\n"
            "\t\t\t+ nalm_test_costly(rte_pktmbuf_mtod(m, const uint8_t *)));\n",
        ),
    ),
    more_rounds("main.c", 40),
    main_edit("main.c"),
    ports=2,
    no_cost=L2FWD_BY_THE_CLOCK,
)
L3FWD = Program(
    "examples/l3fwd",
    ("--", "-p", "0x3", "-P", "--parse-ptype", "--config=(0,0,0),(1,0,1)"),
    "lpm_main_loop",
    (
        Edit("main.c", ".offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM,", ".offloads = 0,"),
        Edit("l3fwd_lpm.c", "/* main processing loop */\n", f"{COSTLY}\n/* main processing loop */\n"),
        Edit(
            "l3fwd_lpm.c",
            "\t\t\tnb_rx = rte_eth_rx_burst(portid, queueid, pkts_burst,\n",
            "\t\t\tnb_rx = rte_eth_rx_burst(portid, queueid, pkts_burst\n"
            "\t\t\t\t+ nalm_test_costly((const uint8_t *)qconf),\n",
        ),
    ),
    # Before it sends, they would make it faster: its loads then no longer meet the stores of net_pcap's copy.
    more_rounds("l3fwd_lpm.c", 70),
    main_edit("main.c"),
    ports=2,
    lcores=2,
    queues=2,  # it sends by a queue of each lcore
    memory_mb=1024,
    compiled="main.c l3fwd*.c",
    no_cost=BY_THE_CLOCK,
)
L3FWD_ON_ONE_LCORE = replace(
    L3FWD,
    arguments=("--", "-p", "0x3", "-P", "--parse-ptype", "--config=(0,0,0),(1,0,0)"),
    lcores=1,
    queues=1,
)
"""Its instructions are counted."""
TESTPMD = Program(
    "app/test-pmd",
    (
        "--",
        "--forward-mode=macswap",
        "--no-flush-rx",
        "--stats-period=3600",
        "--total-num-mbufs=8192",
        "--no-mlockall",
    ),
    "pkt_burst_mac_swap",
    (
        Edit("macswap.c", "static void\npkt_burst_mac_swap(", f"{COSTLY}\nstatic void\npkt_burst_mac_swap("),
        Edit(
            "macswap.c",
            "\tdo_macswap(pkts_burst, nb_rx, txp);\n",
            "\tdo_macswap(pkts_burst + nalm_test_costly(rte_pktmbuf_mtod(pkts_burst[0], const uint8_t *)),\n"
            "\t\tnb_rx, txp);\n",
        ),
    ),
    more_rounds("macswap.c", 56),
    Edit("macswap.c", "struct fwd_engine mac_swap_engine", f"{C_UNUSED}\nstruct fwd_engine mac_swap_engine"),
    control=True,
    shim=True,
    libraries=" -ljansson -lelf",
    static=(
        *STATIC,
        *("gro", "gso", "latencystats", "metrics", "pdump", "bitratestats", "bpf", "pcapng", "security"),
    ),
)
TESTPMD_OF_TWO_QUEUES = replace(
    TESTPMD, arguments=(*TESTPMD.arguments, "--rxq=2", "--txq=2", "--nb-cores=2"), lcores=2, queues=2
)
"""Each lcore has a queue of the port."""
PACKET_ORDERING = Program(
    "examples/packet_ordering",
    ("--", "-p", "0x1", "--disable-reorder"),
    "rx_thread_reorder_disabled",
    (
        Edit(
            "main.c",
            "static __rte_always_inline int\nrx_thread(",
            f"{COSTLY}\nstatic __rte_always_inline int\nrx_thread(",
        ),
        Edit(
            "main.c",
            "\t\t\t\t\t\t(void *)pkts, nb_rx_pkts, NULL);\n",
            "\t\t\t\t\t\t(void *)(pkts\n"
            "\t\t\t\t+ nalm_test_costly(rte_pktmbuf_mtod(pkts[0], const uint8_t *))), nb_rx_pkts, NULL);\n",
        ),
    ),
    more_rounds("main.c", 56),
    main_edit("main.c"),
    eal=(
        "--lcores=0@{cpus},1@{cpus},2@{cpus}",
        "--no-pci",
        "--no-telemetry",
        "--no-huge",
        "--no-shconf",
        "--iova-mode=va",
        "-m",
        "512",
    ),
)
"""A pipeline over rings: receiver, worker and sender, all on the receiver's CPU. The receiver is measured. It
does not reorder: on one CPU its rings are full, what they drop leaves gaps, and no buffer comes back."""
CASES = {
    "testpmd shared": (TESTPMD, "shared"),
    "testpmd static": (TESTPMD, "static"),
    "testpmd of two queues on two lcores, shared": (TESTPMD_OF_TWO_QUEUES, "shared"),
    "packet_ordering, a pipeline over rings, shared": (PACKET_ORDERING, "shared"),
    "l2fwd of two ports, static": (L2FWD, "static"),
    "l3fwd of two ports on one lcore, static": (L3FWD_ON_ONE_LCORE, "static"),
    "l3fwd of two ports on two lcores, shared": (L3FWD, "shared"),
    "l3fwd of two ports on two lcores, static": (L3FWD, "static"),
}


def dpdk_libraries(program: Program, linked: str) -> str:
    if linked == "shared":
        return "$(pkg-config --libs libdpdk)"
    archives = " ".join(f"-l:librte_{name}.a" for name in program.static)
    others = "-lpcap -lnuma -lbsd -lm -ldl -lpthread"
    return f"-Wl,--whole-archive {archives} -Wl,--no-whole-archive {others}"


def configuration(program: Program, linked: str) -> str:
    """nalm.toml as dpdk.md has it."""
    queues = ",rx_pcap={traffic}" * program.queues
    devices = [f'"--vdev=net_pcap{port}{queues},infinite_rx=1"' for port in range(program.ports)]
    eal, own = ([f'"{one}"' for one in options] for options in (program.eal, program.arguments))
    arguments = ", ".join([*eal, *devices, *own])
    libraries = f"{dpdk_libraries(program, linked)}{program.libraries}"
    flags = "-O2 -g -w -DALLOW_EXPERIMENTAL_API -I. $(pkg-config --cflags libdpdk)"
    flags += f" {program.compiled} {libraries}"
    control = "control_lcore = true\n" if program.control else ""
    return f"""version = 1
[project]
name = "stranger"
[build]
commands = [["sh", "-c", "gcc -o {{build}}/program {flags}"]]
artifacts = ["program"]
[run]
command = ["{{build}}/program", {arguments}]
counts = "dpdk"
ready_seconds = 60
{control}[stages.app]
functions = ["{program.loop}"]
[scenarios.udp]
traffic = "traffic.pcap"
packets = 20000
lcores = {program.lcores}
memory_mb = {program.memory_mb}
"""


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("program", "linked"), CASES.values(), ids=CASES)
def test_a_program_of_dpdk(program: Program, linked: str, stranger: Stranger) -> None:
    require(
        (
            "dpkg-dev",
            "libdpdk-dev",
            "libpcap-dev",
            "libnuma-dev",
            "libbsd-dev",
            "libelf-dev",
            "libjansson-dev",
        )
    )
    sources = source_package("dpdk", FOLDER / "sources")
    stranger.begin()
    work = stranger.session.folder
    shutil.copytree(sources / program.sources, work, dirs_exist_ok=True)
    if program.sources.startswith("examples/"):
        shutil.copytree(sources / "examples" / "common", work, dirs_exist_ok=True)
    if program.shim:
        shutil.copy(sources / "lib" / "eal" / "linux" / "include" / "rte_os_shim.h", work)
        absent = [f"#undef RTE_NET_{name}\n" for name in NOT_OF_DRIVERS]
        (work / "rte_build_config.h").write_text("#include_next <rte_build_config.h>\n" + "".join(absent))
    for edit in program.edits:
        edit.apply(work)
    capture = next(one for one in blocks((DOCUMENTS / "dpdk.md").read_text()) if one.file == "capture.py")
    (work / "capture.py").write_text(capture.text)
    (work / "nalm.toml").write_text(configuration(program, linked))
    stranger.session.run("python3 capture.py; git init -q -b main; git add -Af; git commit -qm first")
    for what, edit, expected in (
        ("3 % planted", program.planted, Outcome.REGRESSED),
        ("no cost", program.harmless, None),
    ):
        stranger.session.run("git checkout -q $(git rev-list --max-parents=0 HEAD)")
        edit.apply(work)
        stranger.session.run(f'git commit -qam "{what}"')
        stranger.judge(what, expected, "nalm_test_costly" if expected else None, program.no_cost)
    stranger.end()


def test_vpp() -> None:
    pytest.skip("not tried: VPP: Debian 12 has no package of it, and its sources no Debian source package")
