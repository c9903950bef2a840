# SPDX-License-Identifier: Apache-2.0
"""`nalm gdb` in the reference NF: optimised, with DPDK's threads, at a breakpoint in a stage."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from nalm_agent.gdb.run import source_line

REFERENCE_NF = Path(__file__).parents[2] / "reference-nf"
EAL = ["--no-huge", "--no-pci", "-m", "512", "-l", "0", "--no-shconf", "--no-telemetry"]
CHAIN = ["rx", "nat", "dpi", "l3fwd", "tx"]
BATCHES = 3
COMMANDS = [
    "tbreak runner_loop",  # flows were opened through the stages before the probe opened
    "run",
    "break l3fwd_process",
    "continue",
    "nalm stages --json",
    f"ignore 2 {BATCHES - 1}",
    "continue",
    "nalm since --json",
    "nalm lcores --json",
    "kill",
]


def answers(commands: list[str]) -> list[Any]:
    """The JSON output of `nalm gdb`."""
    each = [option for command in commands for option in ("-ex", command)]
    gdb = ["gdb", "-nx", "-q", "-iex", source_line(), "-batch", *each]
    conf = ["--config", "conf/sfc_a.conf", "--set", "traffic.capture=traffic/mixed.pcap"]
    nf = ["--args", "build/nalm-nf", *EAL, "--", *conf]
    done = subprocess.run(
        [*gdb, *nf],
        cwd=REFERENCE_NF,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(('{"', "[{"))]
    assert len(found) == 3, done.stdout + done.stderr
    return found


def test_batches_between_two_stops_are_those_that_passed() -> None:
    begun, since, lcores = answers(COMMANDS)
    assert [one["stage"] for one in begun["stages"] if not one["apart"]] == CHAIN
    assert begun["packets"] == 0  # the first iteration is not committed yet
    by_name = {one["stage"]: one for one in since["stages"]}
    assert {by_name[name]["batches"] for name in CHAIN} == {BATCHES}
    assert since["packets"] == by_name["l3fwd"]["packets"] > 0
    assert lcores[0]["at"].endswith(" in l3fwd_process")
