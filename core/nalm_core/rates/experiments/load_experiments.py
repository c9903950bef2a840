# SPDX-License-Identifier: Apache-2.0
"""Results of experiments under load: one commit on several numbers of lcores, behind several
queues, at several shares of new flows, and with lcores split between its roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from nalm_core.models.documents.base import Answer, Document, read_document
from nalm_core.models.documents.speedup import MeasuredRates, SpeedupAnswer, SpeedupInput, speedup_answer
from nalm_core.models.speedup import Throughput
from nalm_core.rates.experiments.flow_costs import FlowsAnswer
from nalm_core.rates.experiments.queue_comparison import ComparedLoad
from nalm_core.rates.experiments.role_splits import SplitsAnswer

ASSUMES = (
    "Batches are those with packets; their times are measured, by the speed of the trial; gaps are "
    "independent. The delay lacks what generator and sink add to the latency."
)


class CoresAnswer(SpeedupAnswer):
    """The curve through what was measured on one host."""

    chain: str
    rates: list[MeasuredRates]
    f_s: float | None
    """Null: nalm.toml does not say how to measure it, or a note says why it could not be."""
    left_out: dict[int, str]
    """Numbers of lcores that could not be measured, with reasons."""


class GridAnswer(Answer):
    """Loads of a grid of queues, measured and predicted."""

    arrivals: str
    loads: list[ComparedLoad]
    near: int
    """Loads whose mean batch is within NEAR_PACKETS of the measured one."""
    close: int
    """Loads with a JSD below CLOSE_DIVERGENCE."""
    left_out: list[str]
    """Cells and loads that could not be compared, with reasons."""


class CoresResult(Document):
    kind: Literal["cores"] = "cores"
    tables: dict[str, CoresAnswer]
    """By chain."""
    unusable: dict[str, str]
    """Chains that could not be measured, with reasons."""


class QueueResult(Document):
    kind: Literal["queue"] = "queue"
    tables: dict[str, GridAnswer]
    """By name of the table in nalm.toml."""
    unusable: dict[str, str]
    """Tables that could not be measured, with reasons."""


class FlowsResult(Document):
    kind: Literal["flows"] = "flows"
    tables: dict[str, FlowsAnswer]
    """By name of the table in nalm.toml."""
    unusable: dict[str, str]
    """Tables that could not be measured, with reasons."""


class RolesResult(Document):
    kind: Literal["roles"] = "roles"
    tables: dict[str, SplitsAnswer]
    """By name of the table in nalm.toml."""
    unusable: dict[str, str]
    """Tables that could not be measured, with reasons."""


LoadResult = Annotated[CoresResult | QueueResult | FlowsResult | RolesResult, Field(discriminator="kind")]


def cores_answer(
    chain: str,
    measured: Sequence[Throughput],
    f_s: float | None,
    left_out: Mapping[int, str],
    *,
    notes: Sequence[str] = (),
    reference: int | None = None,
    at: Sequence[int] = (),
) -> CoresAnswer:
    """notes: beside those of the fit. at: lcores to predict for. Raises ModelInputError."""
    rates = [asdict(one) for one in measured]
    given = {"rates": rates, "reference": reference, "f_s": f_s, "at": list(at)}
    fitted = speedup_answer(read_document(SpeedupInput, given))
    more = {
        "chain": chain,
        "rates": rates,
        "f_s": f_s,
        "left_out": dict(left_out),
        "notes": [*fitted.notes, *notes],
    }
    return CoresAnswer.model_validate({**fitted.model_dump(), **more})


def grid_answer(
    arrivals: str, loads: list[ComparedLoad], left_out: list[str], notes: list[str]
) -> GridAnswer:
    return GridAnswer(
        assumes=ASSUMES,
        notes=notes,
        arrivals=arrivals,
        loads=loads,
        near=sum(one.near for one in loads),
        close=sum(one.close for one in loads),
        left_out=left_out,
    )
