# SPDX-License-Identifier: Apache-2.0
"""Documents of the queue of batches."""

from __future__ import annotations

from math import ceil
from typing import Annotated

from pydantic import Field

from nalm_core.models.documents.base import Answer, Document, Lcores, NotNegative, Positive, Real, Whole
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.chain import effort
from nalm_core.models.queue.comparison import agreement, histogram
from nalm_core.models.queue.gaps import STEP_NS, Arrivals, Gaps, mean_gap_of_rate
from nalm_core.models.queue.service import BatchTimes, linear_times, measured_times
from nalm_core.models.queue.sizing import MOST_LCORES, fewest_lcores
from nalm_core.models.queue.solution import MOST_OVERLOAD, QueueSolution, quantile, solve

ASSUMES = (
    "Gaps are independent and of one distribution; a batch takes all that waits; steady state; no fixed "
    "delay of NICs and wires (Geissler et al.)."
)
MOST_CELLS = 4e6
"""Elements of the distributions of batch times, at most, where an input may be refused as too large."""
US_PER_STEP = STEP_NS / 1e3
TAIL = 0.99
BEYOND = 0.01
"""Share of batches above the largest measured size from which a prediction is called extrapolated."""

Counted = tuple[Annotated[Whole, Field(ge=0)], NotNegative]
"""Number of batches, and their TSC cycles together."""


class MeasuredBatches(Document):
    """Batches of one lcore, by size."""

    tsc_hz: Positive
    batches: Annotated[dict[Annotated[int, Field(ge=0)], Counted], Field(min_length=1, max_length=2049)]


class BatchLine(Document):
    """Time of a batch by its size: `base_ns` + `packet_ns` * size."""

    base_ns: Positive
    """Time of an empty poll."""
    packet_ns: NotNegative


class QueueInput(Document):
    pps: Annotated[list[Positive], Field(min_length=1, max_length=64)]
    """Loads in packets/s, of all lcores together."""
    measured: MeasuredBatches | None = None
    """Batches from which their times follow, or `line`."""
    line: BatchLine | None = None
    queue: Annotated[Whole, Field(ge=1, le=1 << 20)] = 4096
    """Packets that the queue of an lcore holds."""
    batch: Annotated[Whole, Field(ge=1, le=2048)] = 256
    """Largest batch."""
    arrivals: Arrivals = Arrivals.POISSON
    cv: Annotated[Real, Field(gt=0, le=10)] | None = None
    """Coefficient of variation of the gaps, of the negative binomial alone."""
    lcores: Lcores = 1
    """Lcores with a queue of their own, each with an equal share of the load."""
    loss: Annotated[Real, Field(gt=0, le=1)] | None = None
    """In place of `lcores`: the fewest that lose at most this share."""
    most_lcores: Lcores = MOST_LCORES
    """Greatest number that is tried where `loss` is given."""


class QueueLoad(Document):
    """One load. Each of the lcores is alike."""

    pps: float
    lcores: int
    mean_batch: float
    batch_deviation: float
    batches: list[float]
    """Share of each batch size, from 0."""
    loss: float
    wait_us: float
    service_us: float
    delay_us: float
    delay_p99_us: float
    extrapolated: bool
    """True if batches are larger than the largest measured, whose times are on the fitted line."""


class BatchAgreement(Document):
    """Predicted against measured batches."""

    divergence: float
    """Jensen and Shannon's, natural logarithm: 0 (equal) to ln 2."""
    relative_error: float
    difference: float
    """Predicted less measured mean, in packets."""


class QueueAnswer(Answer):
    queue: int
    batch: int
    arrivals: str
    fitted_sizes: list[int]
    """Batch sizes whose time is on a fitted line, for want of measured batches."""
    loads: list[QueueLoad]
    most_loss: float | None
    loss_with_fewer: list[float | None] | None
    """With one lcore less, by load; null: there is none less."""
    measured: list[float] | None
    """Share of each measured batch size, from 0."""
    agreement: BatchAgreement | None
    """If one load of one lcore is predicted, and its batches were measured."""


def queue_answer(given: QueueInput) -> QueueAnswer:
    """Raises ModelInputError."""
    if given.loss is not None and given.lcores != 1:
        raise ModelInputError("lcores", "are the answer where a loss is given")
    times = batch_times(given)
    gaps = [Gaps(mean_gap_of_rate(pps), given.arrivals, given.cv) for pps in given.pps]
    fewer: list[float | None] | None = None
    if given.loss is not None:
        sized = [
            fewest_lcores(given.queue, one, times, loss=given.loss, most=given.most_lcores) for one in gaps
        ]
        fewer = [one.fewer for one in sized]
        solved = [(one.lcores, one.solution) for one in sized]
    else:
        solved = [(given.lcores, solve(given.queue, one.scaled(given.lcores), times)) for one in gaps]
    counts = _counts(given)
    largest = max((size for size, count in counts.items() if count), default=None)
    loads = [_load(pps, *one, largest) for pps, one in zip(given.pps, solved, strict=True)]
    measured = histogram(counts) if counts else None
    alone = len(solved) == 1 and solved[0][0] == 1
    return QueueAnswer(
        assumes=ASSUMES,
        notes=_notes(given, loads, largest),
        queue=given.queue,
        batch=given.batch,
        arrivals=given.arrivals if given.cv is None else f"{given.arrivals}:{given.cv:g}",
        fitted_sizes=sorted(times.fitted),
        loads=loads,
        most_loss=given.loss,
        loss_with_fewer=fewer,
        measured=None if measured is None else [float(part) for part in measured],
        agreement=None
        if measured is None or not alone
        else BatchAgreement.model_validate(agreement(measured, solved[0][1].batches)),
    )


def refuse_large(given: QueueInput, most_operations: float) -> None:
    """Raises ModelInputError for an input whose answer may take more operations, or much memory."""
    times = batch_times(given)
    if (times.batch + 1) * times.steps > MOST_CELLS:
        raise ModelInputError("time of a batch", "is too long for batches of that size to be computed here")
    needed = 0.0
    for pps in given.pps:
        gaps = Gaps(mean_gap_of_rate(pps), given.arrivals, given.cv)
        lcores, tried = given.lcores, 1
        if given.loss is not None:
            # With fewer, full batches are slower than arrivals. One less than the answer is solved, too.
            lcores = max(1, ceil(times.slowest_packet / gaps.mean * (1 - given.loss)))
            tried = max(1, given.most_lcores - lcores + 2)
        needed += tried * effort(given.queue, _solvable(gaps.scaled(lcores), times), times)
    if needed > most_operations:
        raise ModelInputError(
            "pps",
            f"{len(given.pps)} loads with a queue of {given.queue} and batches of {given.batch} take "
            f"{needed / most_operations:.1f} times what is computed here: give fewer loads, a smaller queue "
            "or smaller batches",
        )


def _solvable(gaps: Gaps, times: BatchTimes) -> Gaps:
    """Gaps no shorter than those that are solved."""
    load = times.slowest_packet / gaps.mean
    return gaps.scaled(max(1.0, load / MOST_OVERLOAD))


def batch_times(given: QueueInput) -> BatchTimes:
    """Raises ModelInputError."""
    if given.measured is not None and given.line is None:
        return measured_times(given.measured.batches, given.batch, given.measured.tsc_hz)
    if given.measured is not None or given.line is None:
        raise ModelInputError("time of a batch", "expected either measured batches or a line")
    line = given.line
    return linear_times(given.batch, line.base_ns / STEP_NS, line.packet_ns / STEP_NS)


def _counts(given: QueueInput) -> dict[int, int]:
    if given.measured is None:
        return {}
    return {size: count for size, (count, _) in given.measured.batches.items()}


def _load(pps: float, lcores: int, one: QueueSolution, largest: int | None) -> QueueLoad:
    return QueueLoad(
        pps=pps,
        lcores=lcores,
        mean_batch=one.mean_batch,
        batch_deviation=one.spread_of_batch,
        batches=[float(part) for part in one.batches],
        loss=one.loss,
        wait_us=one.mean_wait * US_PER_STEP,
        service_us=one.mean_service * US_PER_STEP,
        delay_us=one.mean_delay * US_PER_STEP,
        delay_p99_us=quantile(one.delay_pmf(), TAIL) * US_PER_STEP,
        extrapolated=largest is not None and float(one.batches[largest + 1 :].sum()) > BEYOND,
    )


def _notes(given: QueueInput, loads: list[QueueLoad], largest: int | None) -> list[str]:
    notes = []
    if largest is None:
        notes.append("batch times are the given line, not measured")
    if beyond := sum(load.extrapolated for load in loads):
        notes.append(
            f"extrapolated: at {beyond} of these loads batches are larger than the largest measured, "
            f"{largest}; their times are on the line through the others"
        )
    if any(load.lcores > 1 for load in loads):
        notes.append("every lcore gets an equal share, with gaps of the same family, in a queue of its own")
    return notes
