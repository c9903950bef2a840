# SPDX-License-Identifier: Apache-2.0
"""Counter source: Open vSwitch's own figures of its PMD threads, `dpif-netdev/pmd-perf-show`.

The format has cycles of a whole thread, so the only stage is the datapath. A packet that is neither sent nor
lost in an upcall is `not_sent`: a flow dropped it. A packet sent to several ports counts once.
"""

from __future__ import annotations

from types import MappingProxyType

from nalm_core.imports.ovs_pmd import PmdThread, pmd_threads
from nalm_core.report.run_report import OutcomeKind, StageCounters, StageInfo

from nalm_agent.self_counting.reported import OwnFigures, Reported, ReportedLcore

STAGE = StageInfo(
    name="datapath",
    outcomes={"sent": OutcomeKind.SENT, "not_sent": OutcomeKind.POLICY, "lost_upcalls": OutcomeKind.LOST},
)


def parse(text: str) -> Reported:
    """Parses the output of `pmd-perf-show`."""
    threads = pmd_threads(text)
    received, lost, sent = (
        round(sum(getattr(one, field) for one in threads)) for field in ("received", "lost", "sent")
    )
    left = received - lost
    counters = StageCounters(
        cycles=sum(round(one.busy) for one in threads),
        packets=received,
        outcomes={"sent": min(sent, left), "not_sent": max(0, left - sent), "lost_upcalls": lost},
    )
    return Reported([_lcore(one) for one in threads], [STAGE], {STAGE.name: counters})


def _lcore(thread: PmdThread) -> ReportedLcore:
    return ReportedLcore(
        lcore=thread.core,
        thread=f"pmd-c{thread.core:02d}/*",
        seconds=thread.seconds,
        packets=round(thread.received),
        busy_cycles=round(thread.busy),
        idle_cycles=round(thread.used) - round(thread.busy),
    )


FIGURES = OwnFigures(
    what="Open vSwitch's own figures (dpif-netdev/pmd-perf-show)",
    parse=parse,
    unchecked=MappingProxyType(
        {
            "stages_add_up": "Open vSwitch reports the cycles of a whole thread; there is one stage",
            "packets_conserved": "Open vSwitch does not count drops by flows; missing packets count as such",
            "buffers_returned": "Open vSwitch does not report its packet buffers",
        }
    ),
)
