# SPDX-License-Identifier: Apache-2.0
"""A real NF behind a real gate: turns, counters, and every way it can fail."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from nalm_agent.nf import launch
from nalm_agent.nf.known_failures import advice
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import LcoreState, ProbeFile, counted_packets, lcore_counters, stage_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import NfError, ProbeError
from nalm_agent.store.home import WorkDir
from tiny import PROBE_HEADER, build_tiny
from waiting import until


def running(command: list[str], work: WorkDir, *, lcores: int = 1, ready_seconds: float = 5) -> RunningNf:
    return RunningNf(NfStart(command, lcores=lcores, ready_seconds=ready_seconds), work, seed=0)


def test_turns_by_packets_and_by_time(tiny_nf: list[str], work: WorkDir) -> None:
    with running(tiny_nf, work) as nf:
        nf.wait_ready()
        assert [stage.name for stage in nf.probe.stages] == ["gen", "rx", "alpha", "beta", "tx"]
        start = nf.snapshot()
        nf.turn(packets=3200)
        middle = nf.snapshot()
        nf.turn(milliseconds=5)
        end = nf.snapshot()
        nf.finish()
        stages = nf.probe.stages
    counters = stage_counters(stages, start, middle)
    assert counters["alpha"].packets == 3200
    assert counters["alpha"].outcomes == {"pass": 3000, "denied": 200}
    assert counted_packets(stages, counters) == 3200
    (lcore,) = lcore_counters(middle, end)
    assert lcore.packets > 0
    assert lcore.turn_wall_ns >= 5_000_000
    own = sum(c.cycles for name, c in stage_counters(stages, middle, end).items() if name != "gen")
    assert own == lcore.busy_cycles


def test_an_lcore_that_slept_through_the_opening_is_woken_again(
    tiny_nf: list[str], work: WorkDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunningNf(NfStart(tiny_nf, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        gate = nf.gate
        assert gate is not None
        wake, woken = gate.wake, []

        def miss_the_first() -> None:
            if woken:
                wake()
            woken.append(gate.turn)

        monkeypatch.setattr(gate, "wake", miss_the_first)
        nf.turn(packets=3200)
        assert woken.count(1) >= 2
        nf.finish()


def test_batches_are_kept_apart(tiny_nf: list[str], work: WorkDir) -> None:
    with running(tiny_nf, work) as nf:
        nf.wait_ready()
        nf.turn(packets=320)
        batches = nf.probe.batches(0, 2)
        nf.finish()
    assert batches[0]["count"][32] == 10


@pytest.mark.parametrize(
    ("work_h", "message"),
    [
        ("#define FAIL_AT_START\n", "did not open its probe: it ended with exit code 1"),
        ("#define DIE_IN_TURN\n", "did not end turn 1: it ended with signal 6"),
    ],
)
def test_nf_that_dies(tmp_path: Path, work: WorkDir, work_h: str, message: str) -> None:
    command = build_tiny(tmp_path, work_h)
    with running(command, work) as nf, pytest.raises(NfError, match=message) as caught:
        nf.wait_ready()
        nf.turn(packets=100_000)
    assert "tiny_nf:" in (caught.value.log or "")


def test_nf_that_becomes_a_daemon(work: WorkDir) -> None:
    with running(["sh", "-c", "true & exit 0"], work) as nf, pytest.raises(NfError) as caught:
        nf.wait_ready()
    assert "did not open its probe: it ended with exit code 0" in caught.value.message
    assert "its option to stay in the foreground" in (caught.value.hint or "")


def test_nf_that_looks_for_files_where_it_was_built(work: WorkDir) -> None:
    said = "echo cannot read /nalm/source/conf/rules.txt; exit 4"
    with running(["sh", "-c", said], work) as nf, pytest.raises(NfError) as caught:
        nf.wait_ready()
    assert "as {source}/... and {build}/..." in (caught.value.hint or "")


def test_the_place_of_a_failed_assertion_is_no_missing_file() -> None:
    assert advice("nf: /nalm/source/main.c:40: main: Assertion `ports == 2' failed.\n") is None
    assert advice("thread main panicked at '/nalm/source/src/main.rs'\n") is None


def test_nf_that_never_opens_a_probe(work: WorkDir) -> None:
    with (
        running(["sleep", "60"], work, ready_seconds=0.2) as nf,
        pytest.raises(NfError, match=r"within 0\.2 s"),
    ):
        nf.wait_ready()


def test_nf_with_too_few_lcores(tiny_nf: list[str], work: WorkDir) -> None:
    with (
        running(tiny_nf, work, lcores=2, ready_seconds=0.3) as nf,
        pytest.raises(NfError, match=r"did not bring 2 lcore"),
    ):
        assert until(nf._has_magic)
        nf.wait_ready()


LATE_LCORE = """#include "nalm_probe.h"
#include <pthread.h>
#include <unistd.h>
static const struct nalm_outcome_spec sent[] = {{"sent", NALM_KIND_SENT}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {{"tx", 0, sent}, {NULL, 0, NULL}};
static struct nalm_probe probe;
static int claimed;
static void *forward(void *number)
{
	struct nalm_lcore lc;
	pthread_t other;
	if (nalm_lcore_claim(&probe, number != NULL, &lc) != 0)
		return NULL;
	__atomic_add_fetch(&claimed, 1, __ATOMIC_SEQ_CST);
	for (long done = 0; nalm_probe_gate(&lc); done++) {
		nalm_probe_mark(&lc, 0, 32);
		nalm_probe_outcome(&lc, 0, 0, 32);
		nalm_probe_commit(&lc, 32);
		if (number == NULL && done == 100) {
			pthread_create(&other, NULL, forward, &probe);
			while (__atomic_load_n(&claimed, __ATOMIC_SEQ_CST) < 2)
				usleep(100);
		}
	}
	return NULL;
}
int main(void)
{
	if (nalm_probe_open(&probe, "late", stages, nalm_tsc_hz(), NULL) != 0)
		return 2;
	forward(NULL);
	return 0;
}
"""


@pytest.mark.parametrize("bare", [False, True])
def test_an_lcore_that_begins_in_a_turn_is_said(tmp_path: Path, work: WorkDir, *, bare: bool) -> None:
    (tmp_path / "late.c").write_text(LATE_LCORE)
    compiled = ["gcc", "-O2", "-pthread", f"-I{PROBE_HEADER.parent}", "-o", "late", "late.c"]
    subprocess.run(compiled, cwd=tmp_path, check=True)
    with running([str(tmp_path / "late")], work) as nf:
        nf.wait_ready()
        with pytest.raises(NfError, match="has 2 lcores, and had 1 when it was ready") as found:
            nf.bare_turn(50) if bare else nf.counted_turn(50)
    assert found.value.hint is not None and "lcores = 2" in found.value.hint


def test_a_probe_that_is_opened_again_is_said(tiny_nf: list[str], work: WorkDir) -> None:
    """A second process empties the file."""
    with running(tiny_nf, work) as nf:
        nf.wait_ready()
        header = bytes(nf.probe.map[:])
        nf.probe.map[:] = bytes(len(header))
        with pytest.raises(NfError, match="has 0 lcores, and had 1 when it was ready") as found:
            nf.snapshot()
        nf.probe.map[:] = header
    assert "opened the probe's file again" in (found.value.hint or "")


def test_unknown_program(work: WorkDir) -> None:
    with running(["/nowhere/nf"], work) as nf, pytest.raises(NfError, match="exit code 127"):
        nf.wait_ready()


@pytest.mark.parametrize("around", [[], ["sh", "-c", '"$@"; exit', "script"]], ids=["itself", "by a script"])
def test_nf_does_not_outlive_a_killed_agent(tiny_nf: list[str], work: WorkDir, around: list[str]) -> None:
    script = f"""
from pathlib import Path
from nalm_agent.store.home import WorkDir
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
work = WorkDir(Path({str(work.disk)!r}), Path({str(work.disk)!r}))
nf = RunningNf(NfStart({[*around, *tiny_nf]!r}, ready_seconds=60), work, seed=0)
nf.wait_ready()
print(nf.probe.pid, flush=True)
nf.turn(packets=2**62, limit_seconds=600)
"""
    agent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert agent.stdout is not None
    pid = int(agent.stdout.readline())
    assert Path(f"/proc/{pid}").exists()
    os.kill(agent.pid, signal.SIGKILL)
    agent.wait()
    assert until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_probe_files_that_are_none(tiny_nf: list[str], work: WorkDir, tmp_path: Path) -> None:
    with running(tiny_nf, work) as nf:
        nf.wait_ready()
        assert [state for state, _ in nf.probe.states()] == [LcoreState.PARKED]
        good = bytes(nf.probe.map)
        nf.finish()
    cases = {
        "is not a probe file": b"\0" * len(good),
        "has probe layout 99": good[:4] + (99).to_bytes(4, "little") + good[8:],
        "is truncated": good[: len(good) // 2],
        "cannot be read as a probe file": b"",
    }
    for message, content in cases.items():
        path = tmp_path / "probe"
        path.write_bytes(content)
        with pytest.raises(ProbeError, match=message):
            ProbeFile(path)


@pytest.mark.parametrize(
    ("work_h", "hint"),
    [
        pytest.param("#define STOP_AFTER 15000\n", "waits for a lock", marks=pytest.mark.nightly),
        ("#define DRY_AFTER 15000\n", "buffers may be used up"),
    ],
    ids=["its lcore hangs", "its lcore polls on"],
)
def test_an_nf_that_stops_forwarding_is_reported_with_what_was_seen(
    tmp_path: Path, work: WorkDir, monkeypatch: pytest.MonkeyPatch, work_h: str, hint: str
) -> None:
    assert launch.REPORT_SECONDS <= 15, "so much is promised"
    monkeypatch.setattr(launch, "REPORT_SECONDS", 1.0)
    said: list[str] = []
    command = build_tiny(tmp_path, work_h)
    with RunningNf(NfStart(command, ready_seconds=60, say=said.append), work, seed=0) as nf:
        nf.wait_ready()
        nf.turn(packets=3200)
        with pytest.raises(NfError, match=r"stopped after 15,008 packets.* held 32 packet buffers") as caught:
            nf.turn(packets=100_000, stall_seconds=2)
    (report,) = said
    first, *rest = report.splitlines()
    assert re.match(r"the NF passed no packet after 15,008 for \d s; it has 2 s; it held 32 packet", first)
    assert len(rest) == 1 and hint in rest[0] and hint in (caught.value.hint or "")
    assert "lent" not in report


def lent(command: list[str], work: WorkDir) -> RunningNf:
    """An NF that counts as one with a lent probe."""
    environment = {"LD_PRELOAD": ""}
    return RunningNf(NfStart(command, ready_seconds=60, environment=environment), work, seed=0)


@pytest.mark.parametrize(
    ("name", "options", "work_h", "flushes"),
    [
        ("dpdk-testpmd", [], "#define STOP_AFTER 15000\n", True),
        ("dpdk-testpmd", ["--no-flush-rx"], "#define STOP_AFTER 15000\n", False),
        pytest.param("dpdk-testpmd", [], "#define DRY_AFTER 15000\n", False, marks=pytest.mark.nightly),
        pytest.param("forwarder", [], "#define STOP_AFTER 15000\n", False, marks=pytest.mark.nightly),
    ],
    ids=["without the option", "with it", "polls on", "another program"],
)
def test_the_option_of_testpmd_is_named_where_it_fits(
    tmp_path: Path, work: WorkDir, name: str, options: list[str], work_h: str, *, flushes: bool
) -> None:
    built, *arguments = build_tiny(tmp_path, work_h)
    program = Path(built).rename(tmp_path / name)
    with lent([str(program), *arguments, *options], work) as nf:
        nf.wait_ready()
        with pytest.raises(NfError, match="stopped after") as caught:
            nf.turn(packets=100_000, stall_seconds=1)
    assert ("start testpmd with --no-flush-rx" in (caught.value.hint or "")) == flushes


def test_what_the_set_up_leaves_running_lives_as_long_as_the_nf(tiny_nf: list[str], work: WorkDir) -> None:
    noted = work.disk / "daemon"
    setup = ["sh", "-c", f"setsid sh -c 'echo $$ >{noted}.new; mv {noted}.new {noted}; exec sleep 600' &"]
    with RunningNf(NfStart(tiny_nf, ready_seconds=10, setup=setup), work, seed=0) as nf:
        nf.wait_ready()
        assert until(noted.exists)
        daemon = int(noted.read_text())
        nf.turn(packets=3200)
        os.kill(daemon, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)
