# SPDX-License-Identifier: Apache-2.0
"""First packets of flows beside later ones."""

from __future__ import annotations

from nalm_core.models.documents.cost import CostAnswer
from nalm_core.rates.experiments.flow_costs import FlowPackets, FlowsAnswer
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, share_percent

from nalm_agent.desk.models.answer import ShownAnswer, columns, interval
from nalm_agent.report.stage_table import MISSING


def answer_flows(answer: FlowsAnswer) -> ShownAnswer:
    """Each design, the lengths from which others pay, and the cost over the weight."""
    return ShownAnswer(answer, _lines(answer))


def _lines(answer: FlowsAnswer) -> list[str]:
    lines = [f"{pps_text(answer.pps)} offered"]
    for name, one in answer.designs.items():
        lines += [f"{name} ({one.scenario})", *_points(one), *_packets(one)]
    for name, pays in answer.break_even.items():
        lines.append(
            f"{name} pays from flows of {pays.packets} packets: break-even {interval(pays.length, 3)} packets"
        )
    if answer.cost is not None:
        lines += _cost(answer.cost)
    notes = [answer.assumes, *answer.notes]
    return [*lines, *(f"note: {one}" for one in notes), *(f"left out: {one}" for one in answer.left_out)]


def _points(one: FlowPackets) -> list[str]:
    return columns(
        ("new flows", "trials", "cycles/packet", "line", "off by"),
        [
            (
                share_percent(point.share, 2),
                f"{point.trials} of {point.trials + point.left_out}",
                f"{point.cycles:.1f}",
                f"{point.fitted:.1f}",
                change_percent(point.cycles / point.fitted - 1),
            )
            for point in one.points
        ],
    )


def _packets(one: FlowPackets) -> list[str]:
    delays = (one.first_delay, one.later_delay)
    first, later = (MISSING if each is None else interval(each) for each in delays)
    return [
        f"  first packet of a flow: {interval(one.first)} cycles, delay {first} cycles",
        f"  later packets: {interval(one.later)} cycles, delay {later} cycles",
    ]


def _cost(cost: CostAnswer) -> list[str]:
    return [
        f"cost of a flow of {cost.packets} packets by weight (1: compute only), cycles",
        *columns(
            ("weight", *cost.costs, "best"),
            [
                (f"{weight:g}", *(f"{costs[at]:.0f}" for costs in cost.costs.values()), cost.best[at])
                for at, weight in enumerate(cost.weights)
            ],
        ),
        f"no other is better in both: {', '.join(cost.pareto)}",
        *(
            f"{one.below} is better up to a weight of {one.weight:.3f}, {one.above} above"
            for one in cost.crossings
        ),
    ]
