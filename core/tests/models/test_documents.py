# SPDX-License-Identifier: Apache-2.0
"""Documents of the models: bad inputs are refused by name, answers state assumptions and extrapolation."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.models.documents import budget, capacity, cost, lines, queue, roles, speedup
from nalm_core.models.documents.base import Answer, Document, read_document
from nalm_core.models.quantity import ModelInputError

CURVE = [(1, 2.1e6), (2, 3.691720e6), (4, 5.854546e6), (8, 7.939726e6)]
RATES = [{"lcores": lcores, "rates": [rate]} for lcores, rate in CURVE]
LINE = {"base_ns": 100, "packet_ns": 50}
SMALL = {"queue": 64, "batch": 8}
BATCHES = {"tsc_hz": 2e9, "batches": {"1": [100, 50_000], "2": [100, 70_000]}}
WORK = {"dispatch": 100, "workers": 300, "databases": 50}


def test_every_answer_states_what_it_assumes() -> None:
    answers: list[Answer] = [
        speedup.speedup_answer(read_document(speedup.SpeedupInput, {"rates": RATES, "at": [8]})),
        roles.roles_answer(
            read_document(roles.RolesInput, {"work": WORK, "lcores": 16, "frequency_hz": 2e9})
        ),
        queue.queue_answer(read_document(queue.QueueInput, {"pps": [1e6], "line": LINE, **SMALL})),
        budget.budget_answer(
            read_document(budget.BudgetInput, {"pps": 20e6, "lcores": 8, "frequency_hz": 2e9, "cpp": 400})
        ),
        capacity.capacity_answer(
            read_document(capacity.CapacityInput, {"chip": "npu", "demand": {"cores": 104}})
        ),
        cost.cost_answer(
            read_document(cost.CostInput, {"designs": {"one": [9, 8, 9, 8]}, "weights": [0, 1]})
        ),
        cost.break_even_answer(
            read_document(cost.BreakEvenInput, {"first": 900, "later": 180, "without": 258})
        ),
        lines.lines_answer(read_document(lines.LinesInput, {"cache_bytes": 48 << 10, "metadata": [32]})),
    ]
    assert all(one.assumes.endswith(".") and "\n" not in one.assumes for one in answers)
    for one in answers:
        assert type(one).model_validate_json(one.model_dump_json(by_alias=True)) == one


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        (speedup.SpeedupInput, {"rates": RATES, "f_t": 1}, "f_t: extra inputs"),
        (speedup.SpeedupInput, {"rates": [{"lcores": 0, "rates": [1]}]}, "rates.0.lcores: "),
        (roles.RolesInput, {"work": {"dispatch": 1, "workers": 1}}, "work.databases: is missing"),
        (queue.QueueInput, {"pps": [0], "line": LINE}, "pps.0: "),
        (queue.MeasuredBatches, {"tsc_hz": 2e9, "batches": {"32": [1.5, 7]}}, "batches.32.0: "),
        (budget.BudgetInput, {"lcores": 8, "frequency_hz": 2e9, "cpp": float("nan")}, "cpp: "),
        (capacity.CapacityInput, {"chip": "gpu", "demand": {"cores": 1}}, "chip: "),
        (cost.DesignsDocument, {"designs": {"many": [400, 350]}}, "designs.many"),
        (lines.LinesInput, {"cache_bytes": "48K", "metadata": [0]}, "cache_bytes: "),
    ],
)
def test_a_bad_document_is_refused_by_the_inputs_name(
    kind: type[Document], content: dict[str, Any], said: str
) -> None:
    with pytest.raises(ModelInputError) as refused:
        read_document(kind, content)
    assert str(refused.value).startswith(said)


def test_one_of_two_ways_to_give_an_input() -> None:
    both = {"line_gbits_per_s": 40, "pps": 1e6, "lcores": 1, "frequency_hz": 2e9, "cpp": 100}
    with pytest.raises(ModelInputError, match="rate: expected either"):
        budget.budget_answer(budget.BudgetInput.model_validate(both))
    with pytest.raises(ModelInputError, match="chip: expected either"):
        capacity.capacity_answer(capacity.CapacityInput(demand={"cores": 1}))
    with pytest.raises(ModelInputError, match="time of a batch: expected either"):
        queue.queue_answer(queue.QueueInput(pps=[1e6]))
    with pytest.raises(ModelInputError, match="lcores: are the answer"):
        queue.queue_answer(
            read_document(queue.QueueInput, {"pps": [1e6], "line": LINE, "lcores": 2, "loss": 0.1})
        )


def test_what_is_outside_the_measurement_is_marked() -> None:
    given = {"rates": RATES, "at": [4, 32]}
    inside, beyond = speedup.speedup_answer(read_document(speedup.SpeedupInput, given)).predictions
    assert not inside.extrapolated and beyond.extrapolated
    assert inside.rate == pytest.approx(5.854546e6, rel=1e-6)
    given = {"pps": 20e6, "lcores": 8, "frequency_hz": 2e9, "cpp": 1000, "measured_lcores": 8}
    found = budget.budget_answer(read_document(budget.BudgetInput, given))
    assert found.share == pytest.approx(0.8) and found.lcores_needed == 10 and found.most_pps == 16e6
    assert not found.extrapolated and found.needed_extrapolated and "extrapolated" in found.notes[0]
    measured = {"pps": [12e6], "measured": BATCHES, **SMALL}
    answer = queue.queue_answer(read_document(queue.QueueInput, measured))
    assert answer.loads[0].extrapolated and answer.agreement is not None
    assert answer.measured == [0, 0.5, 0.5]


def test_lcores_share_a_load() -> None:
    common = {"line": LINE, **SMALL}
    of_all = read_document(queue.QueueInput, {"pps": [24e6], "lcores": 3, **common})
    of_one = read_document(queue.QueueInput, {"pps": [8e6], **common})
    (shared,), (alone,) = queue.queue_answer(of_all).loads, queue.queue_answer(of_one).loads
    assert shared.lcores == 3 and shared.delay_us == pytest.approx(alone.delay_us)


def test_large_queues_may_be_refused() -> None:
    small = read_document(queue.QueueInput, {"pps": [1e6], "line": LINE, **SMALL})
    queue.refuse_large(small, 1e8)
    with pytest.raises(ModelInputError, match="pps: 1 loads with a queue of 64 and batches of 8 take"):
        queue.refuse_large(small, 1e6)
    sized = small.model_copy(update={"loss": 1e-5})
    with pytest.raises(ModelInputError, match="fewer loads"):
        queue.refuse_large(sized, 1e8)
    slow = small.model_copy(update={"line": queue.BatchLine(base_ns=1e9, packet_ns=0)})
    with pytest.raises(ModelInputError, match="time of a batch: is too long"):
        queue.refuse_large(slow, 1e12)
