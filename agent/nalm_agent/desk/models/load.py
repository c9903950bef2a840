# SPDX-License-Identifier: Apache-2.0
"""More load: the queue of batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from nalm_core.models.budget import GAP_BYTES
from nalm_core.models.documents.base import read_document
from nalm_core.models.documents.queue import (
    TAIL,
    BatchAgreement,
    MeasuredBatches,
    QueueAnswer,
    QueueInput,
    QueueLoad,
    queue_answer,
)
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.comparison import agreement, histogram
from nalm_core.models.queue.gaps import parse_arrivals
from nalm_core.rates.trial_batches import batches_by_rate
from nalm_core.report.batch_sizes import BatchCounts, summed
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import share_percent

from nalm_agent.desk.models import inputs
from nalm_agent.desk.models.answer import ShownAnswer, columns

RATE_REPORT = "nalm.rate-report/"


@dataclass(frozen=True)
class Load:
    """What arrives: line rates with a frame, or packet rates."""

    line: str | None
    frame: float
    pps: str | None
    arrivals: str

    def rates(self) -> list[float]:
        """Packets/s. Raises ModelInputError."""
        if (self.line is None) == (self.pps is None):
            raise ModelInputError("rate", "expected either --line or --pps")
        if self.line is None:
            return inputs.numbers(self.pps or "", "--pps")
        if not self.frame > 0:
            raise ModelInputError("--frame", f"expected a number above 0 bytes, not {self.frame:g}")
        return [rate / 8 / (self.frame + GAP_BYTES) for rate in inputs.numbers(self.line, "--line")]


def answer_queue(
    file: str | None,
    load: Load,
    *,
    packets: int,
    batch: int,
    base_ns: float | None,
    packet_ns: float | None,
    loss: float | None,
) -> ShownAnswer:
    """file: documents.queue.MeasuredBatches, or a rate report. packets: that the queue holds.

    loss: with the fewest lcores.
    """
    family, cv = parse_arrivals(load.arrivals)
    given: dict[str, object] = {"queue": packets, "batch": batch, "arrivals": family, "cv": cv, "loss": loss}
    by_rate: dict[int | None, BatchCounts] | None = None
    if file is not None:
        document = inputs.read_file(file)
        if str(document.get("schema")).startswith(RATE_REPORT):
            report = inputs.rate_report(file)
            by_rate = batches_by_rate(report)
            document = {"tsc_hz": float(report.host.tsc_hz), "batches": summed(by_rate.values())}
        given["measured"] = read_document(MeasuredBatches, document)
    else:
        per_packet = inputs.given(packet_ns, "--packet-ns")
        given["line"] = {"base_ns": inputs.given(base_ns, "--base-ns"), "packet_ns": per_packet}
    answer = queue_answer(read_document(QueueInput, {**given, "pps": load.rates()}))
    if by_rate is not None:
        answer = _beside_its_load(answer, by_rate)
    return ShownAnswer(answer, _lines(answer))


def _beside_its_load(answer: QueueAnswer, by_rate: Mapping[int | None, BatchCounts]) -> QueueAnswer:
    """The answer with the batches of its own load in place of those of all loads, if it was measured."""
    if answer.agreement is None:
        return answer
    load = answer.loads[0]
    counted = by_rate.get(round(load.pps))
    if counted is None:
        note = f"the report has no valid trial at {pps_text(load.pps)} to compare with"
        return answer.model_copy(update={"agreement": None, "measured": None, "notes": [*answer.notes, note]})
    sizes = histogram({size: count for size, (count, _) in counted.items()})
    found = BatchAgreement.model_validate(agreement(sizes, np.asarray(load.batches)))
    return answer.model_copy(update={"agreement": found, "measured": [float(part) for part in sizes]})


def _lines(answer: QueueAnswer) -> list[str]:
    lines = [
        f"each lcore: queue {answer.queue}, batches up to {answer.batch}, {answer.arrivals} gaps "
        "(independent, steady state)",
        *columns(
            ("load", "lcores", "batch", "lost", "wait", "service", "delay", f"delay p{100 * TAIL:.0f}"),
            [_row(one) for one in answer.loads],
        ),
    ]
    if answer.loss_with_fewer is not None:
        for one, fewer in zip(answer.loads, answer.loss_with_fewer, strict=True):
            less = "" if fewer is None else f"; {one.lcores - 1} would lose {fewer:.2e}"
            lines.append(f"{pps_text(one.pps)}: {one.lcores} lcores lose at most {answer.most_loss:g}{less}")
    lines += [f"note: {note}" for note in answer.notes]
    if answer.agreement is not None:
        lines.append(
            f"against the measured batches: JSD {answer.agreement.divergence:.4f}, mean "
            f"{answer.agreement.difference:+.2f} packets ({share_percent(answer.agreement.relative_error)})"
        )
    return lines


def _row(one: QueueLoad) -> tuple[str, ...]:
    times = (one.wait_us, one.service_us, one.delay_us, one.delay_p99_us)
    lost = f"{one.loss:.2e}" if 0 < one.loss < 1e-3 else share_percent(one.loss, 2)
    return (
        pps_text(one.pps),
        str(one.lcores),
        f"{one.mean_batch:.1f}",
        lost,
        *(f"{each:.2f} us" for each in times),
    )
