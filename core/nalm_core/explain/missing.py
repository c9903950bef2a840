# SPDX-License-Identifier: Apache-2.0
"""Figures missing in a run that would explain more of its change."""

from __future__ import annotations

from nalm_core.explain.case import Case
from nalm_core.explain.miss_price import BY_TABLE, latencies
from nalm_core.explain.model import Detail
from nalm_core.explain.pipeline_detail import pages_shrank
from nalm_core.explain.signature import Signature
from nalm_core.report.run_report import Arm

NO_INSTRUCTIONS = (
    "instructions were not counted for both arms: valgrind or a PMU counts them, and they show the cause"
)
NO_SAMPLES = "functions were not sampled in both arms: perf samples show which function pays"
NO_TLB = "TLB misses were not counted: a host with a PMU distinguishes them from cache misses"
NO_EVENTS = "no cache or branch events were counted: a PMU or valgrind's model distinguishes them"
NO_PMU = (
    "the counted events did not change enough: the rest (order of memory accesses, dependent instructions, "
    "store forwarding, ports) shows on a host with a PMU, or in perf's samples by line"
)
NO_SHARING = "lines that lcores share were not counted: `perf c2c` shows them on a host with a PMU"
NO_LATENCIES = "this host's latencies were not measured: `nalm doctor` measures them"


def what_would_tell(case: Case, found: Signature, detail: Detail) -> list[str]:
    """Missing figures that matter for this cause, the most useful first."""
    sampled = {profile.arm for profile in case.report.profiles}
    smaller_pages = pages_shrank(case, found)
    events = "l1d_misses_per_packet" in found
    by_table = latencies(case.report.host)[1] == BY_TABLE
    texts = [(case.cause is None, NO_INSTRUCTIONS), (not {Arm.BASE, case.head} <= sampled, NO_SAMPLES)]
    if case.cause != "instructions":
        texts += [
            (not events, NO_EVENTS),
            (events and detail == "unknown", NO_PMU),
            (case.report.scenario.lcores > 1 and detail in ("unknown", "waiting", "atomics"), NO_SHARING),
            ("dtlb_misses_per_packet" not in found and (detail == "cache" or smaller_pages), NO_TLB),
            (detail in ("cache", "instruction_cache", "tlb") and by_table, NO_LATENCIES),
        ]
    return [text for applies, text in texts if applies]
