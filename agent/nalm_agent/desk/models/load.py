# SPDX-License-Identifier: Apache-2.0
"""More load: the queue of batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.comparison import agreement, histogram
from nalm_core.models.queue.gaps import STEP_NS, Arrivals, Gaps, mean_gap, mean_gap_of_rate
from nalm_core.models.queue.service import BatchTimes, linear_times, measured_times
from nalm_core.models.queue.sizing import fewest_lcores
from nalm_core.models.queue.solution import QueueSolution, quantile, solve
from nalm_core.text.percents import share_percent

from nalm_agent.desk.models import inputs
from nalm_agent.desk.models.answer import EXTRAPOLATED, Answer, columns
from nalm_agent.desk.print_rates import pps_text

US_PER_STEP = STEP_NS / 1e3
TAIL = 0.99


@dataclass(frozen=True)
class Load:
    """What arrives: line rates with a frame, or packet rates."""

    line: str | None
    frame: float
    pps: str | None
    arrivals: str

    def gaps(self) -> list[tuple[float, Gaps]]:
        """Packets/s and gaps of each rate. Raises ModelInputError."""
        if (self.line is None) == (self.pps is None):
            raise ModelInputError("rate", "expected either --line or --pps")
        if self.line is not None:
            means = [mean_gap(rate / 1e9, self.frame) for rate in inputs.numbers(self.line, "--line")]
        else:
            means = [mean_gap_of_rate(rate) for rate in inputs.numbers(self.pps or "", "--pps")]
        family, cv = _family(self.arrivals)
        return [(1e9 / STEP_NS / mean, Gaps(mean, family, cv)) for mean in means]


@dataclass(frozen=True)
class _Share:
    """A load, and the gaps of each of that many lcores."""

    pps: float
    lcores: int
    gaps: Gaps


def queue_answer(
    file: str | None,
    load: Load,
    *,
    queue: int,
    batch: int,
    base_ns: float | None,
    packet_ns: float | None,
    loss: float | None,
) -> Answer:
    """file: JSON with `tsc_hz` and `batches`, count and cycles by size. loss: with the fewest lcores."""
    batches = None if file is None else _batches(file)
    if batches is not None:
        tsc_hz, counted = batches
        times = measured_times(counted, batch, tsc_hz)
    else:
        per_packet = inputs.given(packet_ns, "--packet-ns") / STEP_NS
        times = linear_times(batch, inputs.given(base_ns, "--base-ns") / STEP_NS, per_packet)
    of_one = [_Share(pps, 1, gaps) for pps, gaps in load.gaps()]
    sized = [] if loss is None else [_sized(queue, share, times, loss) for share in of_one]
    shares = [share for share, _ in sized] or of_one
    solved = [(share, solve(queue, share.gaps, times)) for share in shares]
    document: dict[str, object] = {
        "queue": queue,
        "batch": batch,
        "arrivals": load.arrivals,
        "fitted_sizes": sorted(times.fitted),
        "loads": [_document(*one) for one in solved],
    }
    lines = [
        f"each lcore: queue {queue}, batches up to {batch}, {load.arrivals} gaps (independent, steady state)",
        *columns(
            ("load", "lcores", "batch", "lost", "wait", "service", "delay", f"delay p{100 * TAIL:.0f}"),
            [_row(*one) for one in solved],
        ),
    ]
    if loss is not None:
        document["most_loss"] = loss
        document["loss_with_fewer"] = [fewer for _, fewer in sized]
        for share, fewer in sized:
            less = "" if fewer is None else f"; {share.lcores - 1} would lose {fewer:.2e}"
            lines.append(f"{pps_text(share.pps)}: {share.lcores} lcores lose at most {loss:g}{less}")
        lines.append(
            "note: every lcore gets an equal share, with gaps of the same family, in a queue of its own"
        )
    lines += _trust(batches, solved, document)
    return Answer(document, lines)


def _family(text: str) -> tuple[Arrivals, float | None]:
    name, sign, cv = text.partition(":")
    if name not in list(Arrivals):
        raise ModelInputError("--arrivals", f"expected one of {', '.join(Arrivals)}, not {name!r}")
    return Arrivals(name), inputs.number(cv, "CV of --arrivals") if sign else None


def _batches(file: str) -> tuple[float, dict[int, tuple[int, float]]]:
    document = inputs.read_file(file)
    counted: dict[int, tuple[int, float]] = {}
    for size, each in inputs.table(document, "batches").items():
        if not (size.isdigit() and isinstance(each, list) and len(each) == 2):
            raise ModelInputError("batches", f"{size}: expected a size with [count, cycles]")
        count, cycles = (inputs.real(one, f"batches of {size}") for one in each)
        counted[int(size)] = (int(count), cycles)
    return inputs.real(document.get("tsc_hz"), "tsc_hz"), counted


def _sized(queue: int, share: _Share, times: BatchTimes, loss: float) -> tuple[_Share, float | None]:
    """The fewest lcores, and the loss with one less."""
    found = fewest_lcores(queue, share.gaps, times, loss=loss)
    return _Share(share.pps, found.lcores, found.solution.gaps), found.fewer


def _document(share: _Share, one: QueueSolution) -> dict[str, object]:
    return {
        "pps": share.pps,
        "lcores": share.lcores,
        "mean_batch": one.mean_batch,
        "batch_deviation": one.spread_of_batch,
        "batches": [float(part) for part in one.batches],
        "loss": one.loss,
        "wait_us": one.mean_wait * US_PER_STEP,
        "service_us": one.mean_service * US_PER_STEP,
        "delay_us": one.mean_delay * US_PER_STEP,
        "delay_p99_us": quantile(one.delay_pmf(), TAIL) * US_PER_STEP,
    }


def _row(share: _Share, one: QueueSolution) -> tuple[str, ...]:
    found = _document(share, one)
    times = (found["wait_us"], found["service_us"], found["delay_us"], found["delay_p99_us"])
    lost = f"{one.loss:.2e}" if 0 < one.loss < 1e-3 else share_percent(one.loss, 2)
    return (
        pps_text(share.pps),
        str(share.lcores),
        f"{one.mean_batch:.1f}",
        lost,
        *(f"{each:.2f} us" for each in times),
    )


def _trust(
    batches: tuple[float, dict[int, tuple[int, float]]] | None,
    solved: Sequence[tuple[_Share, QueueSolution]],
    document: dict[str, object],
) -> list[str]:
    """What the prediction rests on, and its error if one load was measured."""
    lines = []
    if batches is None:
        lines.append("note: batch times are the given line, not measured")
        return lines
    counted = {size: count for size, (count, _) in batches[1].items()}
    used = max((size for size, count in counted.items() if count), default=0)
    beyond = [one for _, one in solved if float(one.batches[used + 1 :].sum()) > 0.01]
    if beyond:
        lines.append(
            f"note: {EXTRAPOLATED}: at {len(beyond)} of these loads batches are larger than the largest "
            f"measured, {used}; their times are on the line through the others"
        )
    if len(solved) == 1 and solved[0][0].lcores == 1:
        found = agreement(histogram(counted), solved[0][1].batches)
        document["agreement"] = asdict(found)
        lines.append(
            f"against the measured batches: JSD {found.divergence:.4f}, mean {found.difference:+.2f} packets "
            f"({share_percent(found.relative_error)})"
        )
    return lines
