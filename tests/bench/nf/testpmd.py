# SPDX-License-Identifier: Apache-2.0
"""Runs dpdk-testpmd on a ring that feeds itself: the cost of DPDK's own forwarding, without an NF."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys

from nalm_agent.host.cores import Cores

SECONDS = 3.0
READY_SECONDS = 30.0
_CYCLES = re.compile(r"CPU cycles/packet=([0-9.]+)")


def cycles_per_packet(mode: str, cores: Cores, *, burst: int) -> float:
    """TSC cycles per packet of 64 B frames in forwarding mode `mode`; the first CPU forwards."""
    if shutil.which("dpdk-testpmd") is None:
        sys.exit("dpdk-testpmd is not installed (apt-get install dpdk-dev)")
    forwarding, other = cores.cpus
    command = [
        *("stdbuf", "-oL", "dpdk-testpmd", f"--lcores=0@{other},1@{forwarding}", "--vdev=net_ring0"),
        *("--no-huge", "-m", "256", "--no-pci", "--no-shconf", "--no-telemetry"),
        *("--force-max-simd-bitwidth=256", "--", f"--forward-mode={mode}", "--nb-cores=1"),
        *(f"--burst={burst}", "--txpkts=64", "--tx-first", "--record-core-cycles", "--total-num-mbufs=8191"),
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _wait_until_forwarding(process)
        output = _forward_for(process, SECONDS)
    finally:
        process.kill()
    found = _CYCLES.search(output)
    if found is None:
        sys.exit(f"dpdk-testpmd printed no cycles per packet:\n{output[-2000:]}")
    return float(found[1])


def _forward_for(process: subprocess.Popen[str], seconds: float) -> str:
    """Lets it forward for a time, then presses Enter. Returns its final output."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)
    output, _ = process.communicate("\n", timeout=READY_SECONDS)
    return output


def _wait_until_forwarding(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Press enter to exit"):
            return
    sys.exit("dpdk-testpmd ended before it forwarded anything")
