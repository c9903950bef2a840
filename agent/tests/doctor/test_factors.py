# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor --factors`: properties of hosts that move measurements, as findings with a cure."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.doctor.factors import findings_of
from nalm_agent.doctor.finding import Level
from nalm_core.wire.host_factors import FactorEffect, HostFactor, HostFactors
from tiny import Nalm

KERNEL = HostFactor(
    name="kernel",
    label="kernel",
    share=0.31,
    significant=True,
    together=["microcode"],
    effects=[
        FactorEffect(value="6.1", runs=70, change=0.0, error=0.001),
        FactorEffect(value="6.6", runs=30, change=0.012, error=0.002),
    ],
    advice="Update kernels of a pool on one day.",
)
HOUR = KERNEL.model_copy(update={"name": "hour", "label": "hour", "share": 0.002, "advice": None})


def test_those_with_advice_are_findings_with_a_cure() -> None:
    found = HostFactors(runs=100, needed=30, spread=0.009, explained=0.4, factors=[KERNEL, HOUR])
    whole, kernel = findings_of(found)
    assert whole.level is Level.OK and "0.90 %" in whole.value and "40 %" in whole.value
    assert (kernel.name, kernel.level, kernel.cure) == ("kernel", Level.NOTE, KERNEL.advice)
    assert "31 %" in kernel.value and "together with microcode" in kernel.value
    assert kernel.effect is not None and "6.6: +1.2 %" in kernel.effect


def test_too_few_runs_are_neither_fine_nor_a_problem() -> None:
    (only,) = findings_of(HostFactors(runs=4, needed=30, spread=0, explained=0, factors=[]))
    assert only.level is Level.UNKNOWN and "4 recorded runs, of 30 needed" in only.value


def test_it_needs_a_server_and_nothing_else(nalm: Nalm, tmp_path: Path) -> None:
    for options, said in (
        (["--factors"], "no server is named"),
        (["--factors", "--noise"], "exclude each other"),
    ):
        done = nalm.run("doctor", *options, cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr
