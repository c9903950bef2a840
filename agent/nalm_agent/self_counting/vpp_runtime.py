# SPDX-License-Identifier: Apache-2.0
"""Counter source: VPP's own figures of its graph, `show runtime`. A node is a stage.

The rates out, drop and punt are outcomes of the input node that took in most packets; it comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nalm_core.imports.vpp_runtime import Node, VppThread, nodes_of, seconds_of, vpp_threads
from nalm_core.report.run_report import OutcomeKind, StageCounters, StageInfo

from nalm_agent.self_counting.reported import OwnFigures, Reported, ReportedLcore

ENDS = {"out": OutcomeKind.SENT, "drop": OutcomeKind.POLICY, "punt": OutcomeKind.SENT}


def parse(text: str) -> Reported:
    """Parses the output of `show runtime`."""
    threads = vpp_threads(text)
    seconds, nodes = seconds_of(threads), nodes_of(threads)
    names = _in_order(nodes)
    first, inputs = names[0], {name for name in names if nodes[name].takes_in}
    # every input node may end packets: which of them took in most is not the same in every turn
    outcomes = {name: ENDS if name == first or name in inputs else {} for name in names}
    ended = {end: round(seconds * sum(getattr(one, end) for one in threads)) for end in ENDS}
    counters = {
        name: _stage(node, ended if name == first else dict.fromkeys(outcomes[name], 0))
        for name, node in nodes.items()
    }
    stages = [StageInfo(name=name, outcomes=outcomes[name]) for name in names]
    return Reported([_lcore(one, seconds) for one in threads], stages, counters)


def _in_order(nodes: Mapping[str, Node]) -> list[str]:
    """Input nodes by the packets they took in, then the others by name, since VPP does not report an
    order."""
    inputs = sorted((name for name in nodes if nodes[name].takes_in), key=lambda name: -nodes[name].vectors)
    return [*inputs, *sorted(nodes.keys() - set(inputs))]


def _stage(node: Node, ended: dict[str, int]) -> StageCounters:
    return StageCounters(cycles=round(node.cycles), packets=node.vectors, batches=node.calls, outcomes=ended)


def _lcore(thread: VppThread, seconds: float) -> ReportedLcore:
    return ReportedLcore(
        lcore=thread.lcore,
        thread=thread.name,
        seconds=seconds,
        packets=round(seconds * thread.ended),
        busy_cycles=sum(round(node.cycles) for node in thread.nodes.values()),
        idle_cycles=None,
    )


FIGURES = OwnFigures(
    what="VPP's own figures (show runtime); an input node's cycles include its empty polls",
    parse=parse,
    unchecked=MappingProxyType(
        {
            "eq6_closes": "VPP does not report idle cycles, so CUR is missing",
            "generator_honest": "VPP does not report idle cycles; it is assumed never to wait for packets",
            "stages_add_up": "VPP reports cycles by node only; the chain is their sum",
            "packets_conserved": "VPP reports the packets that left as rates with five digits",
            "buffers_returned": "`show runtime` has no packet buffers",
        }
    ),
)
