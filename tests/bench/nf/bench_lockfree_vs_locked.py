# SPDX-License-Identifier: Apache-2.0
"""Private flow tables behind a session table against one shared table under a lock, two workers each.

The same four roles on the same two lcores: dispatch and a worker on one, traffic and a worker on the other.
"""

from __future__ import annotations

import sys

from host import print_result
from variants import Variant, describe, measure, median_of_launches, ratio

CHAIN = {"chain.stages": "nat,l3fwd", "model.workers": "2"}
VARIANTS = [
    Variant(state, settings=CHAIN | {"model.state": state}, lcores=2) for state in ("lockfree", "locked")
]


def main() -> int:
    turns = measure(VARIANTS)
    rates = {name: median_of_launches(turns[name], "packets_per_second") for name in turns}
    value, error = ratio(rates["lockfree"], rates["locked"])
    details = {variant.name: describe(variant, turns[variant.name]) for variant in VARIANTS}
    print_result(
        "lockfree_vs_locked", value, "x packets per second", "higher", standard_error=error, **details
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
