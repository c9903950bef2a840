# SPDX-License-Identifier: Apache-2.0
"""SFC A, SFC B and the floor `nop` with 64 B frames, run to completion, per stage; for comparison testpmd in
modes io and macswap on the same kind of port, a ring."""

from __future__ import annotations

import statistics
import sys

from host import print_result
from nalm_agent.host.cores import choose
from testpmd import cycles_per_packet
from variants import Variant, describe, measure, median_of_launches

SMALL = {"traffic.profile": "64"}
VARIANTS = [Variant(name, config=name, settings=SMALL) for name in ("sfc_a", "sfc_b", "nop")]
BURST = 64


def main() -> int:
    turns = measure(VARIANTS)
    for variant in VARIANTS:
        cpp = median_of_launches(turns[variant.name], "cpp")
        print_result(
            f"{variant.name}_64",
            round(statistics.median(cpp), 1),
            "cycles per packet",
            "lower",
            standard_error=round(statistics.stdev(cpp) / len(cpp) ** 0.5, 2),
            **describe(variant, turns[variant.name]),
        )
    for mode in ("io", "macswap"):
        value = cycles_per_packet(mode, choose(2), burst=BURST)
        print_result(f"testpmd_{mode}_64", value, "cycles per packet", "lower", burst=BURST)
    return 0


if __name__ == "__main__":
    sys.exit(main())
