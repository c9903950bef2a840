# SPDX-License-Identifier: Apache-2.0
"""Use of the first-level data cache as history figures, from either source."""

import pytest
from nalm_core.report.event_counts import EventCount
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import summarise
from nalm_synthetic import changed, make_report

HIT, REPLACED = "l1d_hit_ratio", "l1d_replacements_per_packet"


def with_counts(**counts: list[ModelCount] | list[EventCount]) -> RunReport:
    return make_report(changed(), launches=2).model_copy(update=counts)


def modelled(**events: int) -> ModelCount:
    return ModelCount(
        arm=Arm.HEAD, packets=100, caches={}, stages={"nat": events}, unattributed={"l1d_misses": 10}
    )


def counted(launch: int, **events: int) -> EventCount:
    return EventCount(arm=Arm.HEAD, launch=launch, packets=100, stages={"nat": events})


def test_callgrinds_model_where_there_is_no_pmu() -> None:
    found = summarise(with_counts(model_counts=[modelled(data_accesses=1000, l1d_misses=40)]), Arm.HEAD)
    nat = found.stages["nat"]
    assert nat[HIT].value == pytest.approx(0.96) and nat[REPLACED].value == pytest.approx(0.4)
    assert found.chain[REPLACED].value == pytest.approx(0.5)
    assert found.chain[HIT].value == pytest.approx(0.95)
    assert nat[HIT].low == nat[HIT].high == nat[HIT].value
    assert nat[HIT].source == nat[REPLACED].source == "simulated"
    assert HIT not in found.stages["l3fwd"]


def test_the_pmu_comes_first() -> None:
    events = [
        counted(0, l1d_accesses=1000, l1d_misses=10),
        counted(1, l1d_accesses=1000, l1d_misses=30),
        counted(2, l1d_replacements=180),
    ]
    model = [modelled(data_accesses=1000, l1d_misses=40)]
    nat = summarise(with_counts(event_counts=events, model_counts=model), Arm.HEAD).stages["nat"]
    assert nat[HIT].source == nat[REPLACED].source == "pmu"
    assert nat[HIT].launches == pytest.approx([0.99, 0.97]) and nat[HIT].value == pytest.approx(0.98)
    assert nat[HIT].low is not None and nat[HIT].low < 0.98
    assert nat[REPLACED].value == pytest.approx(1.8) and nat[REPLACED].low is None


def test_missing_is_missing() -> None:
    assert HIT not in summarise(with_counts(), Arm.HEAD).chain
    only_misses = with_counts(event_counts=[counted(0, l1d_misses=10)])
    chain = summarise(only_misses, Arm.HEAD).chain
    assert HIT not in chain and REPLACED not in chain
    none_read = with_counts(event_counts=[counted(0, l1d_accesses=0, l1d_misses=0)])
    assert HIT not in summarise(none_read, Arm.HEAD).chain
