# SPDX-License-Identifier: Apache-2.0
"""Counter source: VPP's own figures of its graph, `show runtime`. A node is a stage.

The rates out, drop and punt end the first input node's packets. The seconds are the vectors taken in over
the rate in, which VPP prints to five digits, its seconds to a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from nalm_core.imports.vpp_runtime import Node, VppThread, nodes_of, vpp_threads
from nalm_core.report import OutcomeKind, StageCounters, StageInfo

from nalm_agent.sources.told import OwnFigures, Told, ToldLcore

ENDS = {"out": OutcomeKind.SENT, "drop": OutcomeKind.POLICY, "punt": OutcomeKind.SENT}


def tell(text: str) -> Told:
    """Reads what `show runtime` printed."""
    threads = vpp_threads(text)
    nodes = nodes_of(threads)
    names = sorted(nodes, key=lambda name: (not nodes[name].takes_in, name))
    stages = [StageInfo(name=name, outcomes={} if at else ENDS) for at, name in enumerate(names)]
    counters = {stage.name: _stage(nodes[stage.name], stage, threads) for stage in stages}
    return Told([_lcore(one) for one in threads], stages, counters)


def _stage(node: Node, stage: StageInfo, threads: Sequence[VppThread]) -> StageCounters:
    ended = {end: round(sum(_seconds(one) * getattr(one, end) for one in threads)) for end in stage.outcomes}
    return StageCounters(cycles=round(node.cycles), packets=node.vectors, batches=node.calls, outcomes=ended)


def _lcore(thread: VppThread) -> ToldLcore:
    seconds = _seconds(thread)
    return ToldLcore(
        lcore=thread.lcore,
        thread=thread.name,
        seconds=seconds,
        packets=round(seconds * (thread.out + thread.drop + thread.punt)),
        busy_cycles=sum(round(node.cycles) for node in thread.nodes.values()),
        idle_cycles=None,
    )


def _seconds(thread: VppThread) -> float:
    taken_in = sum(node.vectors for node in thread.nodes.values() if node.takes_in)
    return taken_in / thread.taken_in if taken_in and thread.taken_in else thread.seconds


FIGURES = OwnFigures(
    what="VPP's own figures (show runtime); an input node's cycles include its empty polls",
    tell=tell,
    unchecked=MappingProxyType(
        {
            "eq6_closes": "VPP does not tell idle cycles, so CUR is missing",
            "generator_honest": "VPP does not tell idle cycles: that it never waited for packets is assumed",
            "stages_add_up": "VPP tells cycles by node only; the chain is their sum",
            "packets_conserved": "VPP tells what left as rates of five digits",
            "buffers_returned": "it is not in `show runtime`",
        }
    ),
)
