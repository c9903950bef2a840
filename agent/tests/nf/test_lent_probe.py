# SPDX-License-Identifier: Apache-2.0
"""A probe lent to a DPDK program that has none: real DPDK, real turns, real callgrind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import MEMORY_MB, parse
from nalm_agent.counters import simulated
from nalm_agent.host.cores import Cores, choose
from nalm_agent.measure.rounds import busy_between_turns
from nalm_agent.native.library import library
from nalm_agent.nf.batches import batches_between
from nalm_agent.nf.busy_threads import busy_threads
from nalm_agent.nf.known_failures import pipeline
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import counted_packets, lcore_counters, stage_counters
from nalm_agent.nf.run_plan import LENT_PROBE, LENT_RECEIVE, eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ConfigError, NfError
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.run_report import Arm
from tiny import NALM_TOML

WITH_LENT = NALM_TOML.replace("ready_seconds = 5", 'counts = "dpdk"')
MOST_TURNS = 100
SHARED_CPU = ("--mbuf-pool-ops-name=ring_mt_rts",)
"""Lcores on one CPU that free packets to a pool of the default kind can wait for each other, in each of their
operations on it, until the kernel preempts them."""
LOOP = '[stages.app]\nfunctions = ["bare_loop"]\n'
FILTER = '[stages.filter]\nfunctions = ["bare_filter"]\nwithin = "app"\n'


@pytest.fixture
def lent(home: Home) -> dict[str, str]:
    return {"LD_PRELOAD": str(library(home, LENT_PROBE))}


def command(program: Path, drop: int, *, two_lcores: bool = False) -> list[str]:
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB, control_lcore=two_lcores)
    return [str(program), *eal, *(SHARED_CPU if two_lcores else ()), "--vdev=net_null0", "--", str(drop)]


def test_every_packet_of_a_turn_ends_by_name(bare_dpdk: Path, lent: dict[str, str], work: WorkDir) -> None:
    with RunningNf(NfStart(command(bare_dpdk, 4), ready_seconds=30, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        for _ in range(2):
            before, batches = nf.snapshot(), nf.batches()
            nf.turn(packets=3200)
            after = nf.snapshot()
            (counted,) = batches_between(batches, nf.batches())
            stages = stage_counters(nf.probe.stages, before, after)
            (lcore,) = lcore_counters(before, after)
            assert stages["rx"].outcomes == {"pass": 3200}
            assert stages["app"].outcomes == {"pass": 2400, "not_sent": 800}
            assert stages["tx"].outcomes == {"sent": 2400}
            assert counted_packets(nf.probe.stages, stages) == lcore.packets == 3200
            assert sum(one.cycles for one in stages.values()) == lcore.busy_cycles > 0
            assert sum(size * count for size, (count, _) in counted.sizes.items()) == 3200
            assert sum(cycles for size, (_, cycles) in counted.sizes.items() if size) == lcore.busy_cycles
        nf.finish()


def test_of_a_pipeline_the_receiving_lcore_is_measured_and_the_rest_named(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    pipelined = command(bare_dpdk, 0, two_lcores=True)
    with RunningNf(NfStart(pipelined, ready_seconds=30, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=32_000)
        stages = stage_counters(nf.probe.stages, before, nf.snapshot())
        assert stages["rx"].outcomes == {"pass": 32_000}
        assert stages["app"].outcomes == {"pass": 0, "not_sent": 32_000}
        assert stages["tx"].outcomes == {"sent": 0} and stages["tx"].cycles == 0
        turns = 1
        while not (found := pipeline(nf.log_tail())):  # both lcores share a CPU
            assert (turns := turns + 1) <= MOST_TURNS, "the second lcore sent nothing"
            nf.turn(packets=32_000)
        assert "lcores that only send" in found
        nf.finish()


def test_a_thread_that_polls_between_turns_is_named(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """The sender of a pipeline; of a program without one, none."""
    for two_lcores, busy in ((True, 1), (False, 0)):
        run = command(bare_dpdk, 0, two_lcores=two_lcores)
        with RunningNf(NfStart(run, ready_seconds=30, environment=lent), work, seed=0) as nf:
            nf.wait_ready()
            names = busy_threads(nf.pid)
            assert len(names) == busy, names
            assert (busy_between_turns(Arm.HEAD, names) is not None) == bool(busy)
            nf.finish()


@pytest.mark.nightly
def test_an_lcore_that_does_not_receive_is_not_waited_for_in_silence(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    pipelined = command(bare_dpdk, 0, two_lcores=True)
    with (
        RunningNf(NfStart(pipelined, lcores=2, ready_seconds=3, environment=lent), work, seed=0) as nf,
        pytest.raises(NfError, match="did not bring 2 lcores") as raised,
    ):
        nf.wait_ready()
    assert "1 of 2 lcores receive from a port" in (raised.value.hint or "")


def test_a_stage_has_functions_or_parts() -> None:
    with pytest.raises(ConfigError, match="within app, which also names functions"):
        parse(WITH_LENT + FILTER + LOOP)


def test_a_part_has_the_instructions_of_its_functions(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    functions = parse(WITH_LENT + FILTER).stage_functions()
    run = simulated.Simulation(
        NfStart(command(bare_dpdk, 4), ready_seconds=60, environment=lent), work, functions
    )
    counted = simulated.count(Arm.HEAD, run, packets=3200)
    assert counted.packets == 3200
    assert set(counted.stages) == {"filter", "rx", "tx"}  # app is told by its part, the rest is nobody's
    assert "bare_filter" in {one.name for one in counted.functions["filter"]}
    assert counted.stages["filter"] > 3 * 3200 and counted.unattributed > 0


@pytest.mark.nightly
def test_instructions_of_lcores_side_by_side_are_counted_to_the_last(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """Each lcore has half of the packets, and a packet takes what it takes on one lcore."""
    functions = parse(WITH_LENT + LOOP).stage_functions()
    one = simulated.Simulation(
        NfStart(command(bare_dpdk, 0), ready_seconds=60, environment=lent), work, functions
    )
    alone = simulated.count(Arm.HEAD, one, packets=6400)
    eal = eal_options(Cores(choose(1).cpus * 2), huge_pages=False, memory_mb=MEMORY_MB)
    two = [str(bare_dpdk), *eal, "--vdev=net_null0", "--vdev=net_null1", "--", "0"]
    how = replace(one.how, command=two, lcores=2)
    both = simulated.count(Arm.HEAD, replace(one, how=how, threads_of=LENT_RECEIVE), packets=6400)
    assert alone.packets == both.packets == 6400
    assert both.stages == pytest.approx(alone.stages, rel=0.02)  # each lcore has a mempool cache of its own


def until_there(file: Path) -> list[str]:
    return ["sh", "-c", f"until test -e {file}; do sleep 0.01; done"]


def test_a_program_runs_until_it_is_set_up(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir, tmp_path: Path
) -> None:
    """What sets it up waits for its lcores, which a closed gate would hold."""
    forwarded = tmp_path / "forwarded"
    with RunningNf(
        NfStart(
            command(bare_dpdk, 0),
            ready_seconds=30,
            environment=lent | {"BARE_FORWARDED": str(forwarded)},
            setup=until_there(forwarded),
        ),
        work,
        seed=0,
    ) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=3200)
        assert stage_counters(nf.probe.stages, before, nf.snapshot())["tx"].outcomes == {"sent": 3200}
        nf.finish()


def test_a_setup_that_fails_is_shown_with_its_output(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    failing = ["sh", "-c", "echo no route; exit 3"]
    with (
        RunningNf(
            NfStart(command(bare_dpdk, 0), ready_seconds=30, environment=lent, setup=failing), work, seed=0
        ) as nf,
        pytest.raises(NfError, match=r"run\.setup ended with exit code 3") as raised,
    ):
        nf.wait_ready()
    assert "no route" in (raised.value.log or "") and "sh -c" in (raised.value.hint or "")


def test_a_setup_that_does_not_end_is_not_put_down_to_the_probe(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    endless = ["sh", "-c", "echo waiting for a socket; exec sleep 60"]
    with (
        RunningNf(
            NfStart(command(bare_dpdk, 0), ready_seconds=3, environment=lent, setup=endless), work, seed=0
        ) as nf,
        pytest.raises(NfError, match=r"was not set up by run\.setup within 3 s") as raised,
    ):
        nf.wait_ready()
    hint = raised.value.hint or ""
    assert "run.setup has not ended; it last printed: waiting for a socket" in hint
    assert "rte_eth_dev_start" not in hint


@pytest.mark.nightly
def test_instructions_until_a_program_is_set_up_are_not_counted(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir, tmp_path: Path
) -> None:
    forwarded = tmp_path / "forwarded"
    functions = parse(WITH_LENT + LOOP).stage_functions()
    plain = simulated.Simulation(
        NfStart(command(bare_dpdk, 0), ready_seconds=60, environment=lent),
        work,
        functions,
        threads_of=LENT_RECEIVE,
    )
    without = simulated.count(Arm.HEAD, plain, packets=3200)
    how = replace(plain.how.given({"BARE_FORWARDED": str(forwarded)}), setup=until_there(forwarded))
    counted = simulated.count(Arm.HEAD, replace(plain, how=how), packets=3200)
    assert counted.packets == without.packets == 3200
    assert counted.stages == pytest.approx(without.stages, rel=0.02)


def count_of_receivers(
    program: list[str], work: WorkDir, lent: dict[str, str], loop: str
) -> simulated.Counted:
    """Instructions of the threads that receive, over 32,000 packets."""
    run = simulated.Simulation(
        NfStart(program, ready_seconds=60, environment=lent),
        work,
        parse(WITH_LENT + loop).stage_functions(),
        threads_of=LENT_RECEIVE,
    )
    return simulated.threads(run, packets=32_000)


def test_of_a_pipeline_only_lcores_that_receive_are_counted(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    counted = count_of_receivers(command(bare_dpdk, 0, two_lcores=True), work, lent, LOOP)
    assert counted.profile.runs("bare_receiver") and counted.others > 0
    assert not counted.profile.runs("bare_sender")


def over_rings(program: Path, *arguments: str, lcores: int, options: Sequence[str] = ()) -> list[str]:
    """bare_dpdk as a pipeline on one CPU. options: of EAL."""
    cpu = choose(1).cpus[0]
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB)
    named = ",".join(f"{number}@{cpu}" for number in range(lcores))
    return [str(program), f"--lcores={named}", *eal[1:], *options, "--vdev=net_null0", "--", "0", *arguments]


def test_over_two_rings_the_receiving_lcore_is_measured_and_the_others_in_no_stage(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """Receiver, worker and sender, each on an lcore of its own."""
    pipelined = over_rings(bare_dpdk, lcores=3, options=SHARED_CPU)
    with RunningNf(NfStart(pipelined, ready_seconds=30, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        assert len(busy_threads(nf.pid)) == 2, "worker and sender poll their rings between turns"
        turns = 0
        while not (found := pipeline(nf.log_tail())):
            before = nf.snapshot()
            nf.turn(packets=32_000)
            after = nf.snapshot()
            stages, (lcore,) = stage_counters(nf.probe.stages, before, after), lcore_counters(before, after)
            assert stages["rx"].outcomes == {"pass": 32_000} and lcore.packets == 32_000
            assert stages["app"].outcomes == {"pass": 0, "not_sent": 32_000}
            assert stages["tx"].outcomes == {"sent": 0} and stages["tx"].cycles == 0
            assert sum(one.cycles for one in stages.values()) == lcore.busy_cycles
            assert (turns := turns + 1) <= MOST_TURNS, "the third lcore sent nothing"
        assert "work between rings, are in no stage" in found.replace("\n", " ")
        nf.finish()


def test_an_lcore_that_sends_what_a_worker_returns_has_all_stages(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir
) -> None:
    """Packets are sent in a later iteration than they are received in, and no more of them than that."""
    returned = over_rings(bare_dpdk, "back", lcores=2, options=SHARED_CPU)
    with RunningNf(NfStart(returned, ready_seconds=30, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        assert len(busy_threads(nf.pid)) == 1, "the worker polls its ring between turns"
        sent = turns = 0
        while not sent:
            before = nf.snapshot()
            nf.turn(packets=32_000)
            after = nf.snapshot()
            stages, (lcore,) = stage_counters(nf.probe.stages, before, after), lcore_counters(before, after)
            sent = stages["tx"].outcomes["sent"]
            assert stages["rx"].outcomes == {"pass": 32_000} and lcore.packets == 32_000
            assert stages["app"].outcomes == {"pass": sent, "not_sent": 32_000 - sent}
            assert sum(one.cycles for one in stages.values()) == lcore.busy_cycles
            assert (stages["tx"].cycles > 0) == (sent > 0)
            assert (turns := turns + 1) <= MOST_TURNS, "nothing came back"
        assert pipeline(nf.log_tail()) is None
        nf.finish()


@pytest.mark.parametrize(
    ("arguments", "lcores"),
    [pytest.param((), 3, marks=pytest.mark.nightly), (("back",), 2)],
    ids=["sender", "back"],
)
def test_counts_of_a_pipeline_are_equal_and_of_no_worker(
    bare_dpdk: Path, lent: dict[str, str], work: WorkDir, arguments: tuple[str, ...], lcores: int
) -> None:
    """The other lcores share a pool with the receiver, and would make it wait for them in the middle of its
    operations on it: up to a hundred times the instructions, and another number in each count."""
    loop = LOOP.replace("bare_loop", "bare_receiver")
    program = over_rings(bare_dpdk, *arguments, lcores=lcores)
    first, second = (count_of_receivers(program, work, lent, loop) for _ in range(2))
    assert first.profile.runs("bare_receiver") and first.others > 0
    assert not first.profile.runs("bare_worker") and not first.profile.runs("bare_sender")
    assert second.profile.total == first.profile.total


def test_a_program_without_dpdk_is_distinguished(
    tiny_nf: list[str], lent: dict[str, str], work: WorkDir
) -> None:
    """The shim does nothing where no port is started: the program's own probe is what there is."""
    with RunningNf(NfStart(tiny_nf, ready_seconds=60, environment=lent), work, seed=0) as nf:
        nf.wait_ready()
        assert nf.probe.nf == "tiny_nf"
        nf.finish()
