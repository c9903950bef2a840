# SPDX-License-Identifier: Apache-2.0
"""`nalm gdb` shows the probe's figures in a real gdb: of a running NF, one started there, a core dump."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from nalm_agent.gdb.nalm_gdb.figures import held
from nalm_agent.gdb.run import source_line
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import Snapshot, counted_packets, lcore_counters, stage_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import WorkDir
from tiny import Nalm

PID_AT = 48
"""In the probe's header."""


def gdb(commands: Sequence[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """gdb as `nalm gdb` starts it, without a person."""
    each = [option for command in commands for option in ("-ex", command)]
    return subprocess.run(
        ["gdb", "-nx", "-q", "-iex", source_line(), "-batch", *each, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def answers(done: subprocess.CompletedProcess[str]) -> list[Any]:
    """What the commands printed as JSON, in order."""
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(('{"', "[{"))]
    assert found, done.stdout + done.stderr
    return found


def test_live_and_core_say_what_the_agent_reads(tiny_nf: list[str], work: WorkDir, tmp_path: Path) -> None:
    core, small = tmp_path / "core", tmp_path / "small"
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=20000)
        after = nf.snapshot()
        pid = str(nf.probe.pid)
        gdb([f"generate-core-file {small}"], "-p", pid)
        Path(f"/proc/{pid}/coredump_filter").write_text("0x3f")  # shared files as well
        commands = ["nalm stages --json", "nalm lcores --json", f"generate-core-file {core}"]
        stages, lcores = answers(gdb(commands, "-p", pid))
        counters = stage_counters(nf.probe.stages, before, after)
        (lcore,) = lcore_counters(before, Snapshot(after.blocks))
        (file,) = work.memory.glob("*.probe")
        left = file.read_bytes()
    assert stages["packets"] == counted_packets(nf.probe.stages, counters)
    for stage in stages["stages"]:
        own = counters[stage["stage"]]
        assert (stage["cycles"], stage["packets"], stage["batches"]) == (own.cycles, own.packets, own.batches)
    assert stages["cpp"] == pytest.approx(lcore.busy_cycles / stages["packets"])
    assert lcores[0]["state"] == "parked" and lcores[0]["cpp"] == pytest.approx(stages["cpp"])
    assert "nalm_probe_park" in lcores[0]["at"] or "syscall" in lcores[0]["at"]
    of_core = gdb(["nalm stages --json", "nalm since"], tiny_nf[0], str(core))
    assert answers(of_core) == [stages] and "a core dump has only one" in of_core.stderr
    assert "coredump_filter" in gdb(["nalm stages"], tiny_nf[0], str(small)).stderr
    file.write_bytes(left[:PID_AT] + (1).to_bytes(8, "little") + left[PID_AT + 8 :])  # a later start's
    assert "these figures are of process 1," in gdb(["nalm stages"], tiny_nf[0], str(small)).stdout


BREAKPOINTS = [
    "nalm stages",
    "tbreak beta_process",
    "run",
    "nalm stages --json",
    "tbreak alpha_process",
    "continue",
    "nalm since --json",
    "tbreak alpha_process",
    "ignore 3 5",
    "continue",
    "nalm since --json",
    "nalm since",
    "kill",
]


@pytest.fixture(scope="module")
def stepped(tiny_nf: list[str]) -> subprocess.CompletedProcess[str]:
    return gdb(BREAKPOINTS, "--args", *tiny_nf)


def test_since_the_last_stop(stepped: subprocess.CompletedProcess[str]) -> None:
    first, one, six = answers(stepped)
    assert first["packets"] == 0  # in the first iteration, which is not committed yet
    assert [one["packets"], six["packets"]] == [32, 6 * 32]
    by_name = {stage["stage"]: stage for stage in one["stages"]}
    assert by_name["beta"]["held"] and by_name["beta"]["cpp"] is None  # there it stood, and the TSC went on
    assert one["cpp"] is None
    assert by_name["alpha"]["drops"] == {"denied": 2}
    assert not by_name["tx"]["held"] and by_name["tx"]["cycles"] > 0
    assert all(stage["held"] for stage in six["stages"])  # breakpoints passed over may have held any


def test_a_stop_is_held_by_a_frequency_that_is_rounded() -> None:
    """DPDK states 2.60 GHz for 2.5989: a stop reckoned with it is longer than the cycles that hold it."""
    true_hz, stated_hz, stop_s = 2_598_900_000, 2_600_000_000, 6.0
    work = 100_000
    assert held(int(stop_s * true_hz) + work, [stop_s], stated_hz)
    assert not held(work, [stop_s], stated_hz)


def test_a_table_for_a_person(stepped: subprocess.CompletedProcess[str]) -> None:
    lines = stepped.stdout.splitlines()
    assert [line for line in lines if line.startswith("stage ") and line.split()[4] == "CPP"]
    assert any("held: the debugger stopped it" in line for line in lines)


def test_what_is_wrong_is_said(stepped: subprocess.CompletedProcess[str], tiny_nf: list[str]) -> None:
    assert "there is no process: use run, attach PID or core-file FILE first" in stepped.stderr
    commands = [
        "break main",
        "run",
        "nalm stages",
        "nalm sages",
        "nalm lcores --all",
        "nalm since",
        "nalm probe",
    ]
    done = gdb([*commands, "nalm probe argv", "nalm probe nope", "nalm probe 1", "kill"], "--args", *tiny_nf)
    assert "the probe is not open yet" in done.stderr
    assert 'no command "sages"' in done.stderr
    assert "the only option is --json" in done.stderr
    assert "the probe's mark is missing" in done.stderr
    assert "nope is not an address: No symbol" in done.stderr
    assert "memory at 0x1 cannot be read. If the probe is elsewhere" in done.stderr
    assert "Traceback" not in done.stderr and "Python Exception" not in done.stderr
    other = gdb(["break main", "starti", "nalm stages", "kill"], "/bin/true")
    assert "no symbol nalm_probe_header" in other.stderr


def test_another_layout_is_refused(tiny_nf: list[str]) -> None:
    commands = ["break beta_process", "run", "set var nalm_probe_header->version = 9", "nalm stages", "kill"]
    assert "layout 9; this nalm reads layouts 2 to 4" in gdb(commands, "--args", *tiny_nf).stderr


def test_an_editor_speaks_to_it_by_mi(tiny_nf: list[str]) -> None:
    """As Visual Studio Code does: the commands loaded at its setup, then typed behind -exec."""
    lines = [
        f"-interpreter-exec console {json.dumps(source_line())}",
        "-break-insert -t beta_process",
        "-exec-run",
        '-interpreter-exec console "nalm stages --json"',
        "-break-insert -t alpha_process",
        "-exec-continue",
        '-interpreter-exec console "nalm since --json"',
        '-interpreter-exec console "nalm lcores --json"',
        '-interpreter-exec console "nalm sages"',
        "kill",
    ]
    command = ["gdb", "-nx", "-q", "--interpreter=mi3", "-ex", "set mi-async off", "--args", *tiny_nf]
    done = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False, timeout=60
    )
    begun, since, lcores = answers(console_of(done))
    assert (begun["packets"], since["packets"]) == (0, 32)
    assert lcores[0]["at"].endswith(" in alpha_process")
    assert '^error,msg="' in done.stdout and "sages" in done.stdout


def console_of(mi: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """What the console would have shown: MI's stream records, ~"..." with escapes."""
    streams = [json.loads(line[1:]) for line in mi.stdout.splitlines() if line.startswith('~"')]
    return subprocess.CompletedProcess(mi.args, mi.returncode, "".join(streams), mi.stderr)


def test_the_command(nalm: Nalm, tmp_path: Path) -> None:
    assert nalm.run("gdb", "--print", cwd=tmp_path).stdout.strip() == source_line()
    done = nalm.run("gdb", "--", "-nx", "-q", "-batch", "-ex", "nalm help", cwd=tmp_path)
    assert done.returncode == 0 and "nalm since" in done.stdout
