# SPDX-License-Identifier: Apache-2.0
"""Other hardware and other designs: line-rate budget, capacity, cost, cache lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nalm_core.models.budget import budget
from nalm_core.models.capacity import CHIPS, PBB, Capacity, Chip, capacity
from nalm_core.models.cost import Design, best, break_even, cost, crossings, packets_to_gain, pareto
from nalm_core.models.lines import cache_lines, line_use, most_metadata, most_packets
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.run_figures import RunFigures, first_level_cache, run_demand, run_figures
from nalm_core.text.percents import share_percent

from nalm_agent.desk.models import inputs
from nalm_agent.desk.models.answer import EXTRAPOLATED, Answer, columns
from nalm_agent.desk.print_rates import pps_text
from nalm_agent.report.saved import read_one


def budget_answer(
    report: str | None,
    *,
    line: str,
    frame: float,
    lcores: int | None,
    frequency: str | None,
    cpp: float | None,
) -> Answer:
    """Options replace the figures of the report."""
    run: RunFigures | None = None if report is None else run_figures(read_one(report))
    clock = inputs.number(frequency, "--frequency") if frequency else None
    used = lcores if lcores is not None else run.lcores if run else None
    of_run = (run.frequency_hz, run.cpp) if run else (None, None)
    count = int(inputs.given(used, "--lcores"))
    found = budget(
        inputs.number(line, "--line") / 1e9,
        frame,
        count,
        inputs.given(clock if clock is not None else of_run[0], "--frequency"),
        inputs.given(cpp if cpp is not None else of_run[1], "--cpp"),
    )
    lines = [
        f"a frame of {frame:g} B every {found.arrival_ns:.2f} ns: {pps_text(found.line_pps)}, "
        f"{found.cycles:.1f} cycles of {count} lcores",
        f"{count} lcores carry {share_percent(found.share)} of the line; {found.lcores_needed} carry it all",
    ]
    known = run.lcores if run else 1
    if count != known or found.lcores_needed != known:
        lines.append(f"note: {EXTRAPOLATED}: assumes that CPP stays the same with other numbers of lcores")
    return Answer({"lcores": count, "frame": frame, **asdict(found)}, lines)


def capacity_answer(
    report: str | None,
    *,
    chip: str | None,
    supply: str | None,
    demand: str | None,
    frame: float,
    load: str | None,
) -> Answer:
    """chip: npu, cpu or a file. supply, demand: `cores=2.4G,memory=680M`. demand: also `pbb`."""
    there = _chip(chip, supply)
    run = None if report is None else read_one(report)
    if demand is not None:
        needed: Mapping[str, float] = PBB if demand == "pbb" else dict(inputs.pairs(demand, "--demand"))
    elif run is not None:
        needed = run_demand(run)
    else:
        raise ModelInputError("demand", "is missing: give --demand or a run report")
    found = capacity(there, needed)
    document: dict[str, object] = {
        "bounds_pps": dict(found.bounds),
        "bottleneck": found.bottleneck,
        "pps": found.pps,
        "gbits_per_s": found.gbits_per_s(frame),
        "mpps_per_watt": found.mpps_per_watt,
        "inferred": dict(there.inferred),
        "not_compared": list(found.unbounded),
    }
    rows = [(name, pps_text(bound)) for name, bound in sorted(found.bounds.items(), key=lambda one: one[1])]
    lines = [
        f"at most {pps_text(found.pps)}: {found.bottleneck} bind ({found.gbits_per_s(frame):.1f} Gbit/s of "
        f"frames of {frame:g} B)",
        *columns(("resource", "bound"), rows),
        f"per watt: {'missing' if found.mpps_per_watt is None else f'{found.mpps_per_watt:.2f} Mpps'}",
    ]
    if run is not None:
        rate = run_figures(run).pps
        document["measured_pps"] = rate
        if rate is not None:
            lines.append(f"measured {pps_text(rate)}, {share_percent(rate / found.pps)} of the bound")
    if load is not None:
        lines.append(_share_of(found, inputs.number(load, "--load"), document))
    lines += [f"note: {name} of this chip is inferred: {how}" for name, how in there.inferred.items()]
    lines += [f"note: {name} is known of one side only and bounds nothing here" for name in found.unbounded]
    return Answer(document, [*lines, "note: a bound, not a prediction: each resource is used without a gap"])


def _share_of(found: Capacity, load: float, document: dict[str, object]) -> str:
    if load > found.pps:
        raise ModelInputError(
            "--load", f"{pps_text(load)} is above the capacity, {pps_text(found.pps)} ({found.bottleneck})"
        )
    shares = {name: load / bound for name, bound in found.bounds.items()}
    document["shares"] = shares
    return f"at {pps_text(load)}: " + ", ".join(
        f"{name} {share_percent(one)}" for name, one in shares.items()
    )


def _chip(name: str | None, supply: str | None) -> Chip:
    if (name is None) == (supply is None):
        raise ModelInputError("chip", "expected either --chip or --supply")
    if supply is not None:
        return Chip(dict(inputs.pairs(supply, "--supply")))
    named = str(name)
    if named in CHIPS:
        return CHIPS[named]
    document = inputs.read_file(named)
    watts = document.get("watts")
    return Chip(
        {
            key: inputs.real(value, f"supply of {key}")
            for key, value in inputs.table(document, "supply").items()
        },
        None if watts is None else inputs.real(watts, "watts"),
    )


def cost_answer(designs: Sequence[str], file: str | None, packets: int, weights: str) -> Answer:
    """designs: `NAME=R1,R,D1,D`. file: JSON with `designs`, four numbers by name."""
    all_of_them = [_design(text) for text in designs]
    if file is not None:
        all_of_them += [_listed(*one) for one in inputs.table(inputs.read_file(file), "designs").items()]
    at = inputs.numbers(weights, "--weight")
    costs = {one.name: [cost(one, packets, weight) for weight in at] for one in all_of_them}
    front = [one.name for one in pareto(all_of_them, packets)]
    turns = crossings(all_of_them, packets)
    document = {
        "packets": packets,
        "weights": at,
        "costs": costs,
        "best": [best(all_of_them, packets, weight).name for weight in at],
        "pareto": front,
        "crossings": [asdict(one) for one in turns],
    }
    lines = [
        f"cost of a flow of {packets} packets, cycles: w = 1 compute only, w = 0 delay only (Eq. 7)",
        *columns(
            ("design", *(f"w={weight:g}" for weight in at)),
            [(name, *(f"{one:.0f}" for one in row)) for name, row in costs.items()],
        ),
        f"best by weight: {', '.join(best(all_of_them, packets, weight).name for weight in at)}",
        f"no other is better in both: {', '.join(front)}",
        *(f"{one.below} up to w = {one.weight:.3f}, {one.above} above" for one in turns),
    ]
    return Answer(document, lines)


def break_even_answer(cycles: str) -> Answer:
    """cycles: first and later packets with the cache, any packet without."""
    found = inputs.numbers(cycles, "--break-even")
    if len(found) != 3:
        raise ModelInputError("--break-even", "expected FIRST,LATER,WITHOUT in cycles")
    length = break_even(*found)
    return Answer(
        {"break_even": length, "packets": packets_to_gain(length)},
        [f"the cache pays for flows of at least {packets_to_gain(length)} packets (N* = {length:.2f})"],
    )


def _design(text: str) -> Design:
    name, sign, values = text.partition("=")
    return _listed(name if sign else text, inputs.numbers(values, f"design {name}") if sign else None)


def _listed(name: str, values: Any) -> Design:
    if not isinstance(values, list) or len(values) != 4:
        raise ModelInputError(f"design {name}", "expected R1,R,D1,D: cycles and delays, first and later")
    return Design(name, *(inputs.real(one, f"design {name}") for one in values))


def lines_answer(report: str | None, cache: str | None, packets: int, metadata: str) -> Answer:
    """cache: size of the L1d, without a report."""
    if cache is None and report is None:
        raise ModelInputError("cache", "is missing: give --cache or a run report")
    size = inputs.size(cache, "--cache") if cache else first_level_cache(read_one(report or ""))
    rows = []
    for each in inputs.whole_numbers(metadata, "--metadata"):
        for aggregated in (False, True):
            use = line_use(packets, each, size, aggregated=aggregated)
            most = most_packets(each, size, aggregated=aggregated)
            rows.append({**asdict(use), "fits": use.fits, "most_packets": most})
    limit = most_metadata(packets, size)
    document = {"packets": packets, "cache_lines": cache_lines(size), "most_metadata": limit, "rows": rows}
    lines = [
        f"{packets} packets in flight, {cache_lines(size)} lines of L1d",
        *columns(
            ("metadata", "layout", "lines", "fits", "most packets"),
            [
                (
                    f"{row['metadata_bytes']} B",
                    "together" if row["aggregated"] else "apart",
                    str(row["lines"]),
                    "yes" if row["fits"] else "no",
                    str(row["most_packets"]),
                )
                for row in rows
            ],
        ),
        f"metadata together fits up to {limit:.0f} B per packet"
        if limit >= 0
        else "not even the packets fit without metadata",
        "note: counts lines only: sets, prefetching and the NF's own data are left out",
    ]
    return Answer(document, lines)
