# SPDX-License-Identifier: Apache-2.0
"""Tables of experiments: columns are dropped or cut to a terminal's width; a program gets whole lines."""

from __future__ import annotations

import io

import pytest
from nalm_agent.desk import print_experiment
from nalm_agent.desk.print_experiment import print_result
from nalm_core.experiments.result import (
    AblationResult,
    Compared,
    Contribution,
    FeatureFit,
    FeaturePrice,
    FeaturesResult,
    ModelRow,
    ModelsResult,
    Result,
)
from nalm_core.verdict.change import figure
from rich.console import Console

STAGES = {f"stage_{number}": 30.0 + number for number in range(8)}
COUNTS = {"cells": 1, "taken": 1, "partial": False, "unusable": {}}
PRICE = FeaturePrice(
    feature="deep_inspection", in_reference=True, cycles=201.5, low=199.0, high=204.0, pps=-1.5e6,
    pps_low=None, pps_high=None, stages=STAGES,
)  # fmt: skip
FIT = FeatureFit(
    scenario="sfc_a", reference=["acl"], reference_cpp=400.0, tsc_hz=10**9, model=None, refused=None,
    prices=[PRICE], stages=STAGES, predictions=[], left_out_error=0.0125, lack_of_fit=None, drift=[],
    notes=[],
)  # fmt: skip
PAIR = Compared(
    chain="sfc_full_table", base_variant="plain", head_variant="prefetched",
    base=figure(400.0, "tsc", 900.0, "simulated"), head=figure(380.0, "tsc", 910.0, "simulated"),
    ratio_cpp=0.95, low=0.94, high=0.96, p_value=0.001, base_pps=5e6, head_pps=5.2e6, stages_base={},
    stages_head={},
)  # fmt: skip
ROW = ModelRow(
    chain="sfc_full_table", model="pipeline", figure=figure(400.0, "tsc", 900.0, "simulated"), pps=5e6,
    stages=STAGES, ratio_cpp=1.05, low=1.04, high=1.06,
)  # fmt: skip
RESULTS = {
    "deep_inspection": FeaturesResult(fits=[FIT], **COUNTS),
    "-5.0 %": AblationResult(
        contributions=[
            Contribution(
                name="prefetching_of_buckets", tuning=None, chains=[PAIR], reach=["sfc_full_table"], harms=[]
            )
        ],
        **COUNTS,
    ),
    "+5.0 %": ModelsResult(rows=[ROW], **COUNTS),
}


def printed(monkeypatch: pytest.MonkeyPatch, result: Result, width: int, *, terminal: bool) -> list[str]:
    out = Console(
        file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, highlight=False
    )
    monkeypatch.setattr(print_experiment, "console", lambda: out)
    print_result(result)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


@pytest.mark.parametrize("reported", RESULTS)
def test_a_row_is_a_line_of_the_terminal(monkeypatch: pytest.MonkeyPatch, reported: str) -> None:
    lines = printed(monkeypatch, RESULTS[reported], 80, terminal=True)
    (row,) = [line for line in lines if reported in line]
    assert len(row) <= 80 and "…" not in row
    assert sum("stage_" in line or "sfc_full_table" in line for line in lines) <= 1


@pytest.mark.parametrize("reported", RESULTS)
def test_a_program_gets_every_column_in_whole_lines(monkeypatch: pytest.MonkeyPatch, reported: str) -> None:
    lines = printed(monkeypatch, RESULTS[reported], 60, terminal=False)
    (row,) = [line for line in lines if reported in line]
    assert row.rstrip().endswith(("reached", "stage_7 37", "stage_5 +35.0"))
