# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with programs that were not made for nalm gets an answer that says what to do."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from nalm_agent.measure.rounds import few_forwarded
from nalm_agent.nf.capture import link_type_of, require_ethernet
from nalm_agent.nf.known_failures import advice, not_under_valgrind
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ConfigError, NfError
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import Arm, OutcomeKind, StageCounters, StageInfo

PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 113)
PCAPNG = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28) + struct.pack(
    "<IIHHII", 1, 20, 101, 0, 0, 20
)

# As DPDK 22.11, its drivers and its examples write them.
WRITTEN = {
    "Ethdev port_id=0 requested Tx offloads 0x10000 doesn't match Tx offloads capabilities 0x8": "not have",
    "eth_rx_queue_setup(): Not enough mbufs to accommodate packets in pcap file.": "editcap -r",
    "eth_rx_queue_setup(): Multiseg mbufs are not supported in infinite_rx mode.": "--mbuf-size",
    "  Cause: Creation of mbuf pool for socket 0 failed: Cannot allocate memory": "memory_mb",
    "LPM: FIB dataplane struct IPV6_L3FWD_FIB_0 memory allocation failed": "memory_mb",
    "ETHDEV: Ethdev port_id=0 nb_tx_queues=2 > 1": "once for each queue",
    "error: lcore 1 is not enabled in lcore mask": "control_lcore",
    "port 0 cannot parse packet type, please add --parse-ptype": "--parse-ptype",
    "Cannot set MTU on port 0, (95)Operation not supported": "--vdev=net_null0",
    'ERROR: This system does not support "VPCLMULQDQ".': "-Dcpu_instruction_set=haswell",
    "EAL: Error - exiting with code: 1\n  Cause: No Ethernet ports - bye": "--vdev",
    "error: command failed: Device or resource busy": "unshare -n",
    "cli: bind: Address already in use": "listen at the same port",
    "thread 'main' panicked: AddrInUse, Address in use": "unshare -n",
}


@pytest.mark.parametrize("line", WRITTEN)
def test_a_known_line_has_an_answer(line: str) -> None:
    assert WRITTEN[line] in (advice(f"EAL: Detected CPU lcores: 2\n{line}\n") or "")


# As valgrind 3.19 writes it of AVX-512, and DPDK's EAL under valgrind.
UNKNOWN_INSTRUCTION = """vex amd64->IR:   PFX.66=0 PFX.F2=0 PFX.F3=0
==17815== valgrind: Unrecognised instruction at address 0x10a4bc.
==17815==    at 0x10A4BC: look_up (table.c:388)
==17815==    by 0x4873249: (below main) (libc_start_call_main.h:58)
"""


@pytest.mark.parametrize(
    ("log", "named"),
    [
        (UNKNOWN_INSTRUCTION, "in look_up (table.c:388)"),
        ('ERROR: This system does not support "AVX512BW".', "AVX512BW"),
    ],
)
def test_code_that_valgrind_cannot_run_is_named_with_what_to_do(log: str, named: str) -> None:
    reason = not_under_valgrind(log) or ""
    assert named in reason and "-march=haswell" in reason
    assert not_under_valgrind("Process terminating with default action of signal 11 (SIGSEGV)") is None


def test_debug_information_that_valgrind_cannot_read_gets_a_flag_for_the_build() -> None:
    """As valgrind 3.19 writes it of a program of clang 14."""
    log = (
        "==1== Valgrind: debuginfo reader: ensure_valid failed:\n==1== Valgrind: I can't recover.  Giving up."
    )
    assert "-gdwarf-4" in (not_under_valgrind(log) or "")


def test_a_program_that_executes_itself_is_named_as_the_reason() -> None:
    """As valgrind 3.19 writes it of execv("/proc/self/exe", ...)."""
    log = (
        "==7== Callgrind, a call-graph generating cache profiler\n"
        "valgrind: You cannot run '/store/build/nf' directly.\n"
        "valgrind: You should use $prefix/bin/valgrind.\n"
    )
    assert "starts itself again by /proc/self/exe" in (not_under_valgrind(log) or "")


def test_the_answer_comes_with_the_failure(work: WorkDir) -> None:
    script = "echo 'Cause: No Ethernet ports - bye' >&2; exit 1"
    with (
        RunningNf(NfStart(["sh", "-c", script], ready_seconds=60), work, seed=0) as nf,
        pytest.raises(NfError, match="exit code 1") as raised,
    ):
        nf.wait_ready()
    assert "--vdev" in (raised.value.hint or "")


def test_the_answer_comes_with_a_failed_setup(work: WorkDir) -> None:
    setup = ["sh", "-c", "echo 'error: command failed: Device or resource busy' >&2; exit 1"]
    with (
        RunningNf(NfStart(["sleep", "60"], ready_seconds=60, setup=setup), work, seed=0) as nf,
        pytest.raises(NfError, match=r"run\.setup ended with exit code 1") as raised,
    ):
        nf.wait_ready()
    hint = raised.value.hint or ""
    assert "unshare -n" in hint and "its command is: sh -c" in hint


@pytest.mark.parametrize(("said", "blamed"), [("EAL: PANIC in port_init():", False), ("bye", True)])
def test_a_panic_of_the_program_is_not_put_down_to_the_lent_probe(
    said: str, blamed: bool, work: WorkDir
) -> None:
    lent = {"LD_PRELOAD": ""}
    command = ["sh", "-c", f"echo '{said}' >&2; kill -ABRT $$"]
    with (
        RunningNf(NfStart(command, ready_seconds=60, environment=lent), work, seed=0) as nf,
        pytest.raises(NfError, match="SIGABRT") as raised,
    ):
        nf.wait_ready()
    assert ("may be the cause" in (raised.value.hint or "")) == blamed
    assert "to run it without nalm" in (raised.value.hint or "")


@pytest.mark.parametrize(("head", "named"), [(PCAP, "Linux cooked"), (PCAPNG, "raw IP")])
def test_a_capture_that_is_not_ethernet_is_refused(tmp_path: Path, head: bytes, named: str) -> None:
    path = tmp_path / "any.pcap"
    path.write_bytes(head)
    with pytest.raises(ConfigError, match=named):
        require_ethernet(path, path.name)


def test_what_is_no_capture_has_no_link_type() -> None:
    assert link_type_of(b"packets") is None
    assert link_type_of(PCAPNG[:28]) is None


def counters(sent: int, dropped: int) -> dict[str, StageCounters]:
    outcomes = {"sent": sent, "denied": dropped}
    return {"tx": StageCounters(cycles=1, packets=sent + dropped, batches=1, outcomes=outcomes)}


def test_an_nf_that_hardly_forwards_is_reported() -> None:
    tx = StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "denied": OutcomeKind.POLICY})
    reported = few_forwarded(Arm.HEAD, [tx], counters(5, 95)) or ""
    assert "forwards 5.0 % of its packets" in reported and "policy 95.0 %" in reported
    assert few_forwarded(Arm.HEAD, [tx], counters(50, 50)) is None
