# SPDX-License-Identifier: Apache-2.0
"""What rx and tx execute is below rx_process_* and tx_process_* in call chains, and never the program's."""

from __future__ import annotations

import re
import subprocess

from nalm_agent.native.library import library
from nalm_agent.nf.run_plan import LENT_PROBE
from nalm_agent.store.home import Home

BEGIN = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
JUMP = re.compile(r"\tjmp +[0-9a-f]+ <(?P<to>[^+>]+)")
CALL = re.compile(r"\tcall +[0-9a-f]+ <(?P<to>[^+>]+)")


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
