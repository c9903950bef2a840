# SPDX-License-Identifier: Apache-2.0
"""What a NIC would give that does a part of the work (Wu et al., III-A1), feature by feature.

Here the traffic's side does the NIC's work, as stage `nic`, whose cost is apart. Of each feature: f_t, the
share of cycles and of instructions that is left to the CPU; the largest speedup that any offload of the
stages concerned could give (Amdahl); the new ceiling, min(CPU, line), and how many lcores reach the line.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from host import print_result
from nalm_agent.host.fingerprint import fingerprint
from variants import APART, Turns, Variant, all_instructions, measure, median_of_launches

LAUNCHES = 4
LINE_GBIT = 100
GAP_BYTES = 20
SMALL: Mapping[str, str] = {"traffic.profile": "64", "traffic.flows": "4096"}
LEARNED_MARKS: Mapping[str, str] = {"chain.flow_cache": "on", "io.marks": "65536"}


@dataclass(frozen=True)
class Feature:
    """A part of the work, and the chain that shows it."""

    offload: str
    config: str
    settings: Mapping[str, str]
    concerns: tuple[str, ...]
    """Stages that it relieves."""
    frame_bytes: int
    """Mean size, check sequence included."""

    @property
    def name(self) -> str:
        return f"{self.offload.replace(',', '_')}_{self.config}"

    def variant(self, switch: str) -> Variant:
        """The NF with the work done by the NIC (`on`) or by itself (`off`)."""
        offload = {"io.offload": self.offload} if switch == "on" else {}
        kept = {key: value for key, value in self.settings.items() if switch == "on" or key != "io.marks"}
        return Variant(f"{self.name}_{switch}", self.config, {**kept, **offload})


FEATURES = (
    Feature("checksum", "nop", SMALL, ("rx",), 64),
    Feature("checksum", "sfc_b", SMALL, ("rx",), 64),
    Feature("hash", "mix", {"model.workers": "2"}, ("dispatch",), 64),
    Feature("rss", "mix", {"model.workers": "2"}, ("dispatch", "handover_out", "handover_in"), 64),
    Feature("mark", "sfc_b", {**SMALL, **LEARNED_MARKS}, ("flow_cache",), 64),
    Feature("decap", "upf", {}, ("rx", "gtp_decap"), 712),
    Feature("checksum,decap", "upf", {}, ("rx", "gtp_decap"), 712),
)


def main() -> int:
    for feature in FEATURES:
        print(feature.name, file=sys.stderr)
        variants = [feature.variant(switch) for switch in ("off", "on")]
        turns = measure(variants, LAUNCHES)
        report(feature, *(turns[variant.name] for variant in variants))
    return 0


def report(feature: Feature, off: Turns, on: Turns) -> None:
    low, gain, high = statistics.quantiles(gains(off, on), n=4)
    cpp_off = statistics.median(median_of_launches(off, "cpp"))
    cpp_on = cpp_off / gain
    before, after = all_instructions(feature.variant("off")), all_instructions(feature.variant("on"))
    ipp_off, ipp_on = (sum(n for name, n in ipp.items() if name not in APART) for ipp in (before, after))
    hz = fingerprint().tsc_hz
    line = LINE_GBIT * 1e9 / 8 / (feature.frame_bytes + GAP_BYTES)
    shares = {
        "cycles": share_of_cycles(off, feature.concerns),
        "instructions": sum(before[name] for name in feature.concerns) / ipp_off,
    }
    print_result(
        f"offload_{feature.name}",
        round(gain, 3),
        "x CPP off / on",
        "higher",
        quartiles=[round(low, 3), round(high, 3)],
        f_t={"cycles": round(1 / gain, 4), "instructions": round(ipp_on / ipp_off, 4)},
        share_of_time={
            "cycles": round(1 - 1 / gain, 4),
            "instructions": round(1 - ipp_on / ipp_off, 4),
        },
        most_that_could_be_gained={
            name: {"share": round(share, 4), "speedup": round(1 / (1 - share), 3)}
            for name, share in shares.items()
        },
        cpp=[round(cpp_off, 1), round(cpp_on, 1)],
        ipp=[round(ipp_off, 1), round(ipp_on, 1)],
        ipp_by_stage={
            name: [round(ipp.get(name, 0.0), 1) for ipp in (before, after)] for name in feature.concerns
        },
        nic_apart={
            "cycles": round(statistics.median(t.cycles_apart["nic"] for launch in on for t in launch), 1),
            "instructions": round(after["nic"], 1),
        },
        ceiling_mpps_of_an_lcore=[round(min(hz / cpp, line) / 1e6, 2) for cpp in (cpp_off, cpp_on)],
        lcores_to_line=[math.ceil(line * cpp / hz) for cpp in (cpp_off, cpp_on)],
        line={"gbit": LINE_GBIT, "mpps": round(line / 1e6, 2)},
    )


def gains(off: Turns, on: Turns) -> list[float]:
    """Of each pair of turns, which follow one another."""
    return [a.cpp / b.cpp for pair in zip(off, on, strict=True) for a, b in zip(*pair, strict=True)]


def share_of_cycles(turns: Turns, stages: tuple[str, ...]) -> float:
    """Of these stages in the NF's cycles."""
    return statistics.median(
        sum(turn.cycles_per_packet[stage] for stage in stages) / turn.cpp
        for launch in turns
        for turn in launch
    )


if __name__ == "__main__":
    sys.exit(main())
