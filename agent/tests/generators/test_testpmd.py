# SPDX-License-Identifier: Apache-2.0
"""testpmd as a generator, with what testpmd printed; tests/outside has the real one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators import testpmd, testpmd_console
from nalm_agent.generators.generator import Offer
from nalm_agent.generators.outside import Counts
from nalm_agent.generators.testpmd import TestpmdGenerator
from nalm_agent.runtime.errors import GeneratorError
from nalm_core.report.offered_load import NO_SHAPE
from waiting import until

STAND_IN = Path(__file__).with_name("recorded_testpmd.py")

AGENT = """
import sys
from nalm_agent.generators.testpmd_console import TestpmdConsole
TestpmdConsole("lab", sys.argv[1:]).say("start")
"""
DEAF = "sleep 3600 & echo $$ $! >%s.new && mv %s.new %s; wait"
"""Neither it nor its child reads the console, or ends with it. It records both."""


class ClosedTurns:
    """Turns of no NF."""

    def run(self, seconds: float) -> None:
        raise AssertionError("a generator outside opens a turn itself")

    @contextmanager
    def opened(self) -> Iterator[None]:
        yield

    def arrive(self, sent: object) -> None: ...


def made(*options: str, **more: Any) -> TestpmdGenerator:
    table = {"kind": "testpmd", "command": [sys.executable, str(STAND_IN), *options], "ports": [0]}
    return TestpmdGenerator("lab", GeneratorConfig.model_validate(table | more))


def refused(generator: TestpmdGenerator) -> GeneratorError:
    with pytest.raises(GeneratorError) as caught:
        generator.connect()
        generator.counts()
    generator.close()
    return caught.value


def test_full_load_with_what_found_the_queue_full() -> None:
    generator = made(queues=2)
    generator.connect()
    offer = Offer(trial=1, seconds=0.02, pps=None, leave_out_s=0.0, shape=NO_SHAPE)
    traffic = generator.offer(offer, ClosedTurns()).traffic  # type: ignore[arg-type]
    assert (traffic.sent, traffic.received, traffic.queue_full) == (1000, 400, 250)
    assert 0.02e9 <= traffic.sending_ns < 2e9
    assert generator.counts() == Counts(1000, 400, 250)
    assert not generator.limits.paced
    with pytest.raises(GeneratorError, match="sends at its greatest rate only"):
        generator.send(0.01, 1000)
    generator.close()


def test_one_that_ends_is_quoted() -> None:
    error = refused(made("ends"))
    assert "testpmd ended with exit code 1" in error.message
    assert "EAL: Cannot get hugepage information." in (error.log or "")


def test_a_program_that_is_not_there() -> None:
    table = {"kind": "testpmd", "command": ["/nowhere/dpdk-testpmd"], "ports": [0]}
    error = refused(TestpmdGenerator("lab", GeneratorConfig.model_validate(table)))
    assert "/nowhere/dpdk-testpmd" in (error.log or "")


def test_one_without_a_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testpmd_console, "ANSWER_S", 0.3)
    monkeypatch.setattr(testpmd_console, "END_S", 0.05)
    error = refused(made("silent"))
    assert "did not answer within 0.3 s" in error.message and "-i" in (error.hint or "")


def test_a_port_without_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testpmd, "LINK_S", 0.1)
    assert "port 0 of testpmd has no link" in refused(made("no-link")).message


def test_one_that_does_not_know_a_command() -> None:
    error = refused(made("old"))
    assert "does not take set portlist 0 / set fwd flowgen / set txpkts 60" in error.message


def test_a_port_that_it_does_not_have() -> None:
    assert "testpmd has no port 3" in refused(made(ports=[3])).message


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_killed_agent_leaves_no_testpmd(tmp_path: Path) -> None:
    """Also one that does not end with its console, and what a script around it started."""
    record = tmp_path / "pids"
    command = ["sh", "-c", DEAF.replace("%s", str(record))]
    with subprocess.Popen([sys.executable, "-c", AGENT, *command]) as agent:
        try:
            assert until(record.exists)
            pids = [int(one) for one in record.read_text().split()]
            assert all(map(lives, pids))
        finally:
            agent.kill()
    assert until(lambda: not any(map(lives, pids)))
