# SPDX-License-Identifier: Apache-2.0
"""What rx and tx execute is below rx_process_* and tx_process_* in call chains, and never the program's."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

from nalm_agent.config.nalm_toml import LENT_FUNCTIONS
from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters import perf
from nalm_agent.counters.callgrind_parse import stage_of
from nalm_agent.counters.perf_script_parse import parse_callers
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.run_plan import LENT_PROBE
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.run_report import Arm
from tiny import NF_SOURCE

RECORDED = Path(__file__).parents[1] / "recorded" / "perf_script_lent.txt"
BEGIN = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
JUMP = re.compile(r"\tjmp +[0-9a-f]+ <(?P<to>[^+>]+)")
CALL = re.compile(r"\tcall +[0-9a-f]+ <(?P<to>[^+>]+)")
FUNCTIONS = LENT_FUNCTIONS | {"app": ["main"]}


def of_wrappers(disassembled: str, what: re.Pattern[str]) -> dict[str, set[str]]:
    """What each wrapper jumps to or calls."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in disassembled.splitlines():
        if begin := BEGIN.match(line):
            name = begin["name"]
        if name.startswith(("rx_process_", "tx_process_")):
            own = found.setdefault(name, set())
            if other := what.search(line):
                own.add(other["to"])
    return found


def test_wrappers_call_and_do_not_jump(home: Home) -> None:
    """A function that ends in a jump is in no call chain."""
    shown = ["objdump", "-d", "--no-show-raw-insn", str(library(home, LENT_PROBE))]
    listing = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    jumps, calls = of_wrappers(listing, JUMP), of_wrappers(listing, CALL)
    assert len(jumps) == 3 * 32, "of each port: rx, rx without marks, tx"
    assert {name: to - {name} for name, to in jumps.items() if to - {name}} == {}
    assert "lent_rx" in calls["rx_process_0"]


def test_recorded_samples_of_a_program_with_a_lent_probe() -> None:
    samples = parse_callers(RECORDED.read_text().splitlines())
    stages = Counter((one.chain[0], stage_of(perf.up_to_lent(one.chain), FUNCTIONS)) for one in samples)
    assert {("receive", "rx"), ("transmit", "tx"), ("main", "app")} <= stages.keys()
    assert all(stage is not None for _, stage in stages)
    assert {stage for name, stage in stages if name == "receive"} == {"rx"}


def test_samples_of_drivers_are_those_of_rx_and_tx(tmp_path: Path, home: Home, work: WorkDir) -> None:
    made, sources, dpdk = tmp_path / "standin_nf", NF_SOURCE.parent, tmp_path / "standin.o"
    reported = ["-DRELEASE=2411", "-DBURST=2", "-DQUEUES=0", "-o", str(dpdk)]
    subprocess.run(["gcc", "-O2", *reported, "-c", str(sources / "standin_dpdk.c")], check=True)
    subprocess.run(["gcc", "-O2", "-o", str(made), str(sources / "standin_nf.c"), str(dpdk)], check=True)
    lent = {"LD_PRELOAD": str(library(home, LENT_PROBE))}
    with RunningNf(NfStart([str(made)], ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        found = perf.profile(nf, Arm.HEAD, 50, 12, work, functions=StageFunctions(FUNCTIONS))
        nf.finish()
    stages = {(one.name, one.stage) for one in found.functions if one.name in ("receive", "transmit")}
    assert ("receive", "rx") in stages
    assert stages <= {("receive", "rx"), ("transmit", "tx")}, "transmit may have no sample: it is short"
