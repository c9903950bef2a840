# SPDX-License-Identifier: Apache-2.0
"""Common failures of programs that were not made for nalm: what their last lines mean, and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nalm_core.report.run_report import Arm

from nalm_agent.runtime.errors import NfError

OLDER_PROCESSOR = (
    "the program uses instructions that this host, or valgrind, does not support: build it for an older "
    "processor (DPDK: meson setup -Dcpu_instruction_set=haswell; elsewhere -march=haswell instead of "
    "-march=native)"
)
KNOWN_FAILURES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"^nalm: .*rte_eth_fp_ops", re.MULTILINE),
        "use a release of DPDK that the lent probe supports (docs/hosts.md), or include the probe "
        '(nalm_probe.h) and set counts = "probe"',
    ),
    (
        re.compile(
            r'This system does not support "|Illegal instruction|valgrind: Unrecognised instruction at'
        ),
        OLDER_PROCESSOR,
    ),
    (
        re.compile(r"requested (Rx|Tx) offloads|new added offloads|invalid rss_hf"),
        "the program requests an offload or hash that this virtual device does not have: start it with its "
        "option for none, "
        "or request only what rte_eth_dev_info_get() offers (requested & capabilities)",
    ),
    (
        re.compile(r"nb_[rt]x_queues=\d+ > \d+"),
        "the program configures more queues than this virtual device has: name rx_pcap={traffic} in --vdev "
        "once for each queue, or give the program fewer lcores",
    ),
    (
        re.compile(r"[Cc]annot set MTU|[Ff]ailed to set MTU|set_mtu[^\n]{0,80}(?:-95|not supported)"),
        "this virtual device (net_pcap) has no MTU to set: use one that has, such as net_null, "
        "which makes packets of zeros (--vdev=net_null0, a scenario without traffic)",
    ),
    (
        re.compile(r"Not enough mbufs to accommodate packets in pcap file"),
        "the capture is larger than the program's packet pool: give it more buffers (testpmd: "
        "--total-num-mbufs), or "
        "cut the capture (editcap -r in.pcap out.pcap 1-4000)",
    ),
    (
        re.compile(
            r"Multiseg mbufs are not supported in infinite_rx mode|Dropping multi segment PCAP packet"
        ),
        "a packet of the capture is larger than a packet buffer: give the program larger ones (testpmd: "
        "--mbuf-size=9216), or cut the packets (editcap -s 1514 in.pcap out.pcap)",
    ),
    (
        re.compile(
            r"Creation of mbuf pool [^\n]{0,200} failed|Cannot (?:init|create) mbuf pool"
            r"|cannot (?:init|create) mbuf"
        ),
        "the program's packet pool does not fit into its memory: ask for fewer buffers (testpmd: "
        "--total-num-mbufs=8192), or raise memory_mb of the scenario",
    ),
    (
        re.compile(r"memory allocation failed|Cannot allocate memory"),
        "DPDK's memory is too small for the program's tables: raise memory_mb of the scenario",
    ),
    (
        re.compile(r"lcore \d+ unavailable|invalid core ?(?:list|mask), please check"),
        "the program names CPUs that it may not use: leave the choice of lcores to {eal}",
    ),
    (
        re.compile(
            r"lcore \d+ is not enabled in lcore mask|[Nn]ot enough (?:l?cores|workers)|No cores defined|"
            r"nb_lcores|Insufficient (?:l?cores)",
            re.IGNORECASE,
        ),
        "the program needs more lcores than it got: set control_lcore = true under [run] if its main lcore "
        "only "
        "controls, or raise lcores of the scenario if the host has the CPUs",
    ),
    (
        re.compile(r"cannot parse packet type|ptype check fails"),
        "the virtual device does not report packet types: start the program with its software parser "
        "(l3fwd: "
        "--parse-ptype)",
    ),
    (
        re.compile(r"No (?:free hugepages|available [^\n]{0,200}hugepages)|Cannot get hugepage information"),
        "too few huge pages are free: `nalm doctor` shows how many are free and how to reserve more",
    ),
    (
        re.compile(
            r"No (?:probed )?[Ee]thernet (?:ports|devices)|No ports|number of ports must be even",
            re.IGNORECASE,
        ),
        "the program has no port, or too few: feed it by virtual devices in run.command, as "
        "--vdev=net_pcap0,rx_pcap={traffic},infinite_rx=1",
    ),
    (
        re.compile(  # not the place of a failed assertion
            r"/nalm/(?:source|build)/(?![^\s:'\"]*(?::\d|\.(?:c|cc|cpp|cxx|h|hh|hpp|rs|go)\b))"
        ),
        "/nalm/source and /nalm/build exist while a build runs, and no longer when the NF does: give the "
        "program such paths by run.command or run.environment, as {source}/... and {build}/..., or let it "
        "look beside its own file",
    ),
    (
        re.compile(r"Device or resource busy|Address (?:already )?in use"),
        "another process uses this device, name or address: base and head run side by side, so if both make "
        "a network interface of the kernel by the same name, or listen at the same port, begin run.command "
        "with `unshare -n`; {run_dir} is a directory of each for sockets and files",
    ),
)
"""Patterns of programs' and drivers' output, with advice. The first match counts."""

NOT_UNDER_VALGRIND = re.compile(
    r"valgrind: Unrecognised instruction at address[^\n]*\n==\d+==\s+at 0x[0-9A-F]+: (?P<place>[^\n]+)"
    r'|This system does not support "(?P<feature>\w+)"'
)
"""Output of a program that runs by itself, but uses instructions that valgrind does not know."""
UNREAD_DEBUG_INFORMATION = re.compile(
    r"Valgrind: debuginfo reader: (?:ensure_valid failed|Possibly corrupted debuginfo file)"
)

STARTS_ITSELF = re.compile(r"^valgrind: You cannot run '[^\n]*' directly\.$", re.MULTILINE)
"""A program that runs /proc/self/exe, which is valgrind's own program."""

VALGRIND_CRASHED = re.compile(r"please report this bug to: www\.valgrind\.org")
"""Line that ends what valgrind writes when it fails itself."""

LEFT_THE_FOREGROUND = (
    "a program that becomes a daemon leaves nalm's sight: start it with its option to stay in the foreground"
)
NO_LENT_PROBE = (
    'it has a lent probe (counts = "dpdk"), which begins when it starts a port: it must start one, and be '
    "linked with DPDK's shared libraries (`ldd` names librte_ethdev), or with static ones and not stripped "
    "(`nm` names rte_eth_dev_start), and always with a shared libc"
)
LENT_PROBE_BLAMED = (
    'it has a lent probe (counts = "dpdk"), which wraps its burst functions and may be the cause: '
    "check whether the program runs without it"
)
PANIC = re.compile(r"^(?:EAL: )?PANIC in ", re.MULTILINE)
"""Line that DPDK writes when the program itself ends in panic: no probe is to blame."""
GAVE_UP = re.compile(r"^nalm: (.+)$", re.MULTILINE)
"""Line that the lent probe writes before it ends the program."""
SENDS_ONLY = re.compile(r"^nalm note: a thread sends packets and receives none$", re.MULTILINE)
"""Line that the lent probe writes of a pipeline."""
PIPELINE = (
    "the lent probe measures lcores that receive from a port: cycles of lcores that only send, or work "
    "between rings, are in no stage, and packets handed to them count as not_sent"
)
LENT_PROBE_STUCK = (
    'it has a lent probe (counts = "dpdk"), which waits where a lcore polls its first queue: a thread that '
    "polled once and continued keeps the turn open"
)
FLUSHES = "start testpmd with --no-flush-rx: it polls each port once before it forwards"
_TESTPMD = re.compile(r"\btestpmd(?![\w./-])")
HUNG = (
    "an lcore waits for a lock, a ring or another thread, or does not poll any more (`gdb --pid` shows "
    "where, while the NF runs)"
)
MORE_LCORES = "set lcores = {} in its scenario of nalm.toml: nalm then waits for all of them"
PROBE_AGAIN = (
    "another of its processes has opened the probe's file again: a program that starts itself again, or "
    "several processes with a probe; one process may have NALM_PROBE_FILE"
)
POLLS_ON = (
    "its lcores poll on and receive nothing: its packet buffers may be used up (a leak, or a pool that is "
    "too small), or its source of packets has ended"
)


def advice(log: str) -> str | None:
    """Advice on a program's last output; None if it matches no known failure."""
    return next((text for pattern, text in KNOWN_FAILURES if pattern.search(log)), None)


def only_beside_base(arm: Arm, error: NfError) -> NfError:
    """The error of base if an arm starts alone, and not while base runs: both need something that exists
    once, such as an address at which they listen. error: of the arm beside base."""
    message = f"{arm} does not start beside it, and starts alone: {error.message}"
    return NfError(message, hint=error.hint, log=error.log)


def flushes(command: Sequence[str]) -> bool:
    """True for a testpmd that polls its ports before it forwards."""
    text = " ".join(command)
    return _TESTPMD.search(text) is not None and "--no-flush-rx" not in text


def pipeline(log: str) -> str | None:
    """What the lent probe does not measure of a program whose log shows a pipeline; None if it shows none."""
    return f"a pipeline: {PIPELINE}" if SENDS_ONLY.search(log) else None


def not_under_valgrind(log: str) -> str | None:
    """Why valgrind cannot run a program that runs by itself, and what to do; None: another cause."""
    if VALGRIND_CRASHED.search(log):
        return (
            "valgrind itself crashed, twice, as it does now and then with a runtime that switches between "
            "stacks and threads, such as Go's: `nalm check --force` counts again"
        )
    if UNREAD_DEBUG_INFORMATION.search(log):
        return (
            "valgrind cannot read the program's debug information, as clang writes it in DWARF 5: build with "
            "-gdwarf-4, or with gcc"
        )
    if STARTS_ITSELF.search(log):
        return (
            "valgrind cannot run a program that starts itself again by /proc/self/exe: let it start its own "
            "path, or begin with the option or variable that it gives itself"
        )
    found = NOT_UNDER_VALGRIND.search(log)
    if found is None:
        return None
    used = f"in {found['place']}" if found["place"] else f"of {found['feature']}"
    return (
        f"valgrind does not know an instruction {used}, as code for this processor (-march=native) has them. "
        "Build for an older one: -march=haswell; DPDK: meson setup -Dcpu_instruction_set=haswell. "
        "QEMU's counting plugin does not know AVX-512, either"
    )
