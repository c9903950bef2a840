# SPDX-License-Identifier: Apache-2.0
"""One flow that is more than an lcore can carry (Wu et al., III-B2): state `separated` with 1 to 8 workers.

Value: how many times the rate of one lock-free worker, which has the whole flow, k workers can do; the goal
is 0.7 k. The slowest role decides: the dispatching lcore, a worker with its share of the packets, the
database instance, or the egress. Instructions of each role are exact. Cycles of each role are those of
roles in turn on one lcore, so lines that travel between cores are missing from them. Where the host has an
lcore for each role, packets per second are measured as well. Every k also runs with a thread for each role:
the order has to be kept, and nothing may be lost.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from host import print_result
from nalm_agent.config.stage_functions import StageFunctions
from variants import NF, Turns, Variant, built_nf, instructions, measure, median_of_launches, ratio

WORKERS = range(1, 9)
GOAL = 0.7
OTHER_ROLES = 4
"""Dispatch, database instance, egress, traffic."""
LAUNCHES = 4
PACKETS = 200_000
ONE_FLOW = {"traffic.profile": "imix", "traffic.flows": "1", "traffic.reply_percent": "0"}
LOCKFREE = ONE_FLOW | {"model.workers": "2"}
SEPARATED = ONE_FLOW | {"model.state": "separated"}
HANDOVERS = {
    "from_dispatch": "handover_scatter_process",
    "from_worker": "handover_seats_process",
    "from_database": "handover_out_process",
}
OWNED = "nat"
"""The chain's stage that keeps flows."""
FUNCTIONS = StageFunctions(
    {name: [function] for name, function in HANDOVERS.items()}, dict.fromkeys(HANDOVERS, "handover_out")
)
"""Each role hands over by a function of its own."""


def main() -> int:
    lockfree = Variant("lockfree", settings=LOCKFREE, memory_mb=1024)
    separated = Variant("separated", settings=SEPARATED | {"model.workers": "2"}, memory_mb=1024)
    whole = sum(one_worker(instructions(lockfree, FUNCTIONS)).values())
    roles = roles_of(instructions(separated, FUNCTIONS))
    turns = measure([lockfree, separated], LAUNCHES)
    measured = {name: cycles_of(found) for name, found in turns.items()}
    whole_cycles = sum(one_worker(measured["lockfree"]).values())
    role_cycles = roles_of(share_handovers(measured["separated"], roles))
    by_cycles = speedups(whole_cycles, sums(role_cycles))
    by_instructions = speedups(whole, sums(roles))
    print_result(
        "elephant",
        by_instructions[max(WORKERS)],
        "x one worker's rate, 8 workers, by instructions",
        "higher",
        bar=GOAL * max(WORKERS),
        goal_met_up_to={"instructions": most(by_instructions), "cycles": most(by_cycles)},
        speedup={"instructions": by_instructions, "cycles": by_cycles},
        one_worker={"ipp": round(whole, 1), "cpp": round(whole_cycles, 1)},
        role_ipp={name: round(value, 1) for name, value in sums(roles).items()},
        role_cpp={name: round(value, 1) for name, value in sums(role_cycles).items()},
        measured=rates(),
        in_order={k: in_order(k) for k in WORKERS},
    )
    return 0


def one_worker(stages: Mapping[str, float]) -> dict[str, float]:
    """The part of a lock-free worker behind the dispatching lcore."""
    before = ("rx", "dispatch", "handover_out", *HANDOVERS)
    return {name: value for name, value in stages.items() if name not in before}


def roles_of(stages: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """What each role does for a packet. Workers: all of them together. The order is restored twice."""
    half = stages["order"] / 2
    dispatch = {name: stages[name] for name in ("rx", "dispatch", "from_dispatch")}
    database = {"order": half, OWNED: stages[OWNED], "from_database": stages["from_database"]}
    elsewhere = {*dispatch, *database, "tx"}
    workers = {name: value for name, value in stages.items() if name not in elsewhere}
    return {
        "dispatch": dispatch,
        "workers": workers,
        "database": database,
        "egress": {"order": half, "tx": stages["tx"]},
    }


def share_handovers(
    cycles: Mapping[str, float], roles: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """The probe marks all hand-overs as one stage: its cycles, divided as their instructions are."""
    ipp = {name: role[name] for role in roles.values() for name in HANDOVERS if name in role}
    whole = sum(ipp.values())
    rest = {name: value for name, value in cycles.items() if name != "handover_out"}
    return rest | {name: cycles["handover_out"] * value / whole for name, value in ipp.items()}


def sums(roles: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(role.values()) for name, role in roles.items()}


def speedups(whole: float, roles: Mapping[str, float]) -> dict[int, float]:
    """By number of workers: the whole work of one worker over that of the busiest role."""
    alone = max(value for name, value in roles.items() if name != "workers")
    return {k: round(whole / max(alone, roles["workers"] / k), 2) for k in WORKERS}


def most(found: Mapping[int, float]) -> int:
    """The largest k up to which every number of workers meets the goal; 0: none."""
    met = 0
    for k in WORKERS:
        if found[k] < GOAL * k:
            break
        met = k
    return met


def cycles_of(turns: Turns) -> dict[str, float]:
    return {
        name: statistics.median(turn.cycles_per_packet[name] for launch in turns for turn in launch)
        for name in turns[0][0].cycles_per_packet
    }


def rates() -> dict[str, Any]:
    """Packets per second over those of one worker, for each k that has an lcore for every role here."""
    lcores = len(os.sched_getaffinity(0))
    fitting = [k for k in WORKERS if k + OTHER_ROLES <= lcores]
    if not fitting:
        return {"missing": f"{1 + OTHER_ROLES} lcores are needed for one worker; this host has {lcores}"}
    alone = Variant("lockfree", settings=LOCKFREE, lcores=4, memory_mb=1024)
    separated = [
        Variant(
            str(k),
            settings=SEPARATED | {"model.workers": str(k)},
            lcores=k + OTHER_ROLES,
            memory_mb=1024,
        )
        for k in fitting
    ]
    turns = measure([alone, *separated], LAUNCHES)
    base = median_of_launches(turns["lockfree"], "packets_per_second")
    return {k: ratio(median_of_launches(turns[str(k)], "packets_per_second"), base) for k in fitting}


def in_order(workers: int) -> bool:
    """A thread for each role, whatever the number of CPUs: every packet arrives, and in order."""
    cpus = sorted(os.sched_getaffinity(0))
    places = ",".join(f"{number}@{cpus[number % len(cpus)]}" for number in range(workers + OTHER_ROLES))
    sets = SEPARATED | {"model.workers": str(workers)}
    command = [str(built_nf()), f"--lcores={places}", "--no-huge", "-m", "1024", "--no-shconf", "--no-pci"]
    command += ["--no-telemetry", "--", "--config", str(NF / "conf" / "sfc_a.conf")]
    command += ["--packets", str(PACKETS)]
    for item in sets.items():
        command += ["--set", "=".join(item)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    traffic = json.loads(done.stdout.splitlines()[-1])["traffic"]
    return all(traffic[name] == 0 for name in ("lost", "reordered", "duplicates", "damaged"))


if __name__ == "__main__":
    sys.exit(main())
