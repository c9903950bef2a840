# SPDX-License-Identifier: Apache-2.0
"""Other hardware and other designs: line-rate budget, capacity, cost, cache lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nalm_core.models.capacity import CHIPS, PBB
from nalm_core.models.documents.base import read_document
from nalm_core.models.documents.budget import BudgetInput, budget_answer
from nalm_core.models.documents.capacity import CapacityInput, ChipDocument, HostChip, capacity_answer
from nalm_core.models.documents.cost import (
    BreakEvenInput,
    CostInput,
    DesignsDocument,
    break_even_answer,
    cost_answer,
)
from nalm_core.models.documents.lines import LinesInput, lines_answer
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.run_figures import (
    RunFigures,
    first_level_cache,
    host_supply,
    run_demand,
    run_figures,
)
from nalm_core.report.run_report import Host
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import share_percent

from nalm_agent.desk.models import inputs
from nalm_agent.desk.models.answer import ShownAnswer, columns
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.report.saved import read_one

THIS_HOST = "host"
"""The chip of this machine, as the last `nalm doctor` measured it."""


def answer_budget(
    report: str | None,
    *,
    line: str | None,
    pps: str | None,
    frame: float,
    lcores: int | None,
    frequency: str | None,
    cpp: float | None,
) -> ShownAnswer:
    """Options replace the figures of the report."""
    run: RunFigures | None = None if report is None else run_figures(read_one(report))
    clock = inputs.number(frequency, "--frequency") if frequency else None
    used = lcores if lcores is not None else run.lcores if run else None
    of_run = (run.frequency_hz, run.cpp) if run else (None, None)
    given = {
        "line_gbits_per_s": None if line is None else inputs.number(line, "--line") / 1e9,
        "pps": None if pps is None else inputs.number(pps, "--pps"),
        "frame": frame,
        "lcores": inputs.given(used, "--lcores"),
        "frequency_hz": inputs.given(clock if clock is not None else of_run[0], "--frequency"),
        "cpp": inputs.given(cpp if cpp is not None else of_run[1], "--cpp"),
        "measured_lcores": run.lcores if run else None,
    }
    answer = budget_answer(read_document(BudgetInput, given))
    lines = [
        f"a frame of {frame:g} B every {answer.arrival_ns:.2f} ns: {pps_text(answer.line_pps)}, "
        f"{answer.cycles:.1f} cycles of {answer.lcores} lcores",
        f"{answer.lcores} lcores carry {share_percent(answer.share)} of the line; {answer.lcores_needed} "
        "carry it all",
        *(f"note: {note}" for note in answer.notes),
    ]
    return ShownAnswer(answer, lines)


def answer_capacity(
    report: str | None,
    *,
    chip: str | None,
    supply: str | None,
    demand: str | None,
    frame: float,
    load: str | None,
    lcores: int | None,
) -> ShownAnswer:
    """chip: npu, cpu, host or a file. supply, demand: `cores=2.4G,memory=680M`. demand: also `pbb`.

    Without chip and supply, the chip is the report's host, as `nalm doctor` measured it.
    """
    run = None if report is None else read_one(report)
    there = _chip(chip, supply, None if run is None else run.host)
    used = lcores if lcores is not None else 1 if run is None else run.scenario.lcores
    if demand is not None:
        needed: Mapping[str, float] = PBB if demand == "pbb" else inputs.table(demand, "--demand")
    elif run is not None:
        needed = run_demand(run)
    else:
        raise ModelInputError("demand", "is missing: give --demand or a run report")
    given = {
        **there,
        "lcores": used,
        "demand": dict(needed),
        "frame": frame,
        "load_pps": None if load is None else inputs.number(load, "--load"),
        "measured_pps": None if run is None else run_figures(run).pps,
    }
    answer = capacity_answer(read_document(CapacityInput, given))
    rows = [
        (name, pps_text(bound)) for name, bound in sorted(answer.bounds_pps.items(), key=lambda one: one[1])
    ]
    watt = answer.mpps_per_watt
    lines = [
        f"at most {pps_text(answer.pps)}: {answer.bottleneck} bind ({answer.gbits_per_s:.1f} Gbit/s of "
        f"frames of {frame:g} B)",
        *columns(("resource", "bound"), rows),
        f"per watt: {'missing' if watt is None else f'{watt:.2f} Mpps'}",
    ]
    if answer.measured_pps is not None:
        of_bound = share_percent(answer.measured_pps / answer.pps)
        lines.append(f"measured {pps_text(answer.measured_pps)}, {of_bound} of the bound")
    if load is not None and answer.shares is not None:
        shares = ", ".join(f"{name} {share_percent(one)}" for name, one in answer.shares.items())
        lines.append(f"at {pps_text(inputs.number(load, '--load'))}: {shares}")
    lines += [f"note: {note}" for note in answer.notes]
    return ShownAnswer(
        answer, [*lines, "note: a bound, not a prediction: each resource is used without a gap"]
    )


def _chip(name: str | None, supply: str | None, host: Host | None) -> Mapping[str, object]:
    """Fields of the input that name a chip, or describe it. host: of the run report."""
    if name is not None and supply is not None:
        raise ModelInputError("chip", "expected either --chip or --supply")
    if supply is not None:
        return {"own": {"supply": inputs.table(supply, "--supply")}}
    if name is None and host is None:
        raise ModelInputError("chip", "is missing: give --chip, --supply or a run report")
    if name in CHIPS:
        return {"chip": name}
    if name not in (None, THIS_HOST):
        if not Path(str(name)).exists():
            known = ", ".join(CHIPS)
            raise ModelInputError("--chip", f"{name} is neither {known} or {THIS_HOST} nor a file")
        return {"own": read_document(ChipDocument, inputs.read_file(str(name)))}
    measured = host_supply(fingerprint() if name == THIS_HOST or host is None else host)
    return {"host": HostChip.model_validate(measured)}


def answer_cost(designs: Sequence[str], file: str | None, packets: int, weights: str) -> ShownAnswer:
    """designs: `NAME=R1,R,D1,D`. file: documents.cost.DesignsDocument."""
    known: dict[str, object] = dict(_design(text) for text in designs)
    if file is not None:
        known |= read_document(DesignsDocument, inputs.read_file(file)).designs
    given = {"designs": known, "packets": packets, "weights": inputs.numbers(weights, "--weight")}
    answer = cost_answer(read_document(CostInput, given))
    lines = [
        f"cost of a flow of {packets} packets, cycles: w = 1 compute only, w = 0 delay only (Eq. 7)",
        *columns(
            ("design", *(f"w={weight:g}" for weight in answer.weights)),
            [(name, *(f"{one:.0f}" for one in row)) for name, row in answer.costs.items()],
        ),
        f"best by weight: {', '.join(answer.best)}",
        f"no other is better in both: {', '.join(answer.pareto)}",
        *(f"{one.below} up to w = {one.weight:.3f}, {one.above} above" for one in answer.crossings),
    ]
    return ShownAnswer(answer, lines)


def answer_break_even(cycles: str) -> ShownAnswer:
    """cycles: first and later packets with the cache, any packet without."""
    found = inputs.numbers(cycles, "--break-even")
    if len(found) != 3:
        raise ModelInputError("--break-even", "expected FIRST,LATER,WITHOUT in cycles")
    given = dict(zip(("first", "later", "without"), found, strict=True))
    answer = break_even_answer(read_document(BreakEvenInput, given))
    return ShownAnswer(
        answer,
        [f"the cache pays for flows of at least {answer.packets} packets (N* = {answer.break_even:.2f})"],
    )


def _design(text: str) -> tuple[str, object]:
    name, sign, values = text.partition("=")
    costs = inputs.numbers(values, f"design {name}") if sign else []
    if len(costs) != 4:
        raise ModelInputError(f"design {name}", "expected R1,R,D1,D: cycles and delays, first and later")
    return name, costs


def answer_lines(report: str | None, cache: str | None, packets: int, metadata: str) -> ShownAnswer:
    """cache: size of the L1d, without a report."""
    if cache is None and report is None:
        raise ModelInputError("cache", "is missing: give --cache or a run report")
    size = inputs.size(cache, "--cache") if cache else first_level_cache(read_one(report or ""))
    given = {
        "cache_bytes": size,
        "packets": packets,
        "metadata": inputs.whole_numbers(metadata, "--metadata"),
    }
    answer = lines_answer(read_document(LinesInput, given))
    lines = [
        f"{packets} packets in flight, {answer.cache_lines} lines of L1d",
        *columns(
            ("metadata", "layout", "lines", "fits", "most packets"),
            [
                (
                    f"{row.metadata_bytes} B",
                    "together" if row.aggregated else "apart",
                    str(row.lines),
                    "yes" if row.fits else "no",
                    str(row.most_packets),
                )
                for row in answer.rows
            ],
        ),
        f"metadata together fits up to {answer.most_metadata:.0f} B per packet"
        if answer.most_metadata >= 0
        else "not even the packets fit without metadata",
        "note: counts lines only: sets, prefetching and the NF's own data are left out",
    ]
    return ShownAnswer(answer, lines)
