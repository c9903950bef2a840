# SPDX-License-Identifier: Apache-2.0
"""Run to completion against a pipeline of two groups, on two lcores, for both chains (Wu et al., Table IV).

Value: CPP of the pipeline, hand-overs included, over CPP of run to completion; below 1 the pipeline is
better. The search for the crossing increases the chain's state, which run to completion keeps in one core's
caches and a pipeline in two.
"""

from __future__ import annotations

import sys

from host import print_result
from variants import Variant, describe, measure, median_of_launches, ratio

GROUPS = {"sfc_a": "nat | dpi,l3fwd", "sfc_b": "acl | lb,l3fwd"}
STATE = {
    "small": {},
    "large": {"traffic.copies": "400", "l3fwd.routes_generated": "400000"},
}
"""What is enlarged: flows, and the routes of their packets."""


def main() -> int:
    for chain, groups in GROUPS.items():
        for size, state in STATE.items():
            common = {"config": chain, "lcores": 2, "memory_mb": 1024}
            pipeline = {"model.model": "pipeline", "model.groups": groups}
            variants = [
                Variant("rtc", settings=state, **common),
                Variant("pipeline", settings=state | pipeline, **common),
            ]
            turns = measure(variants)
            cpp = {name: median_of_launches(turns[name], "cpp") for name in turns}
            value, error = ratio(cpp["pipeline"], cpp["rtc"])
            details = {
                variant.name: describe(variant, turns[variant.name], counted=size == "small")
                for variant in variants
            }
            name = f"pipeline_vs_rtc_{chain}_{size}"
            print_result(name, value, "x CPP pipeline / rtc", "lower", standard_error=error, **details)
    return 0


if __name__ == "__main__":
    sys.exit(main())
