# SPDX-License-Identifier: Apache-2.0
"""The flow cache on against off, for both chains: CPP off over CPP on."""

from __future__ import annotations

import sys

from host import print_result
from variants import Variant, describe, measure, median_of_launches, ratio

CHAINS = ("sfc_a", "sfc_b")


def main() -> int:
    for chain in CHAINS:
        variants = [
            Variant(switch, config=chain, settings={"chain.flow_cache": switch}) for switch in ("on", "off")
        ]
        turns = measure(variants)
        cpp = {name: median_of_launches(turns[name], "cpp") for name in turns}
        value, error = ratio(cpp["off"], cpp["on"])
        details = {variant.name: describe(variant, turns[variant.name]) for variant in variants}
        print_result(
            f"flow_cache_{chain}", value, "x CPP off / on", "higher", standard_error=error, **details
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
