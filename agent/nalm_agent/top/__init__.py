# SPDX-License-Identifier: Apache-2.0
"""`nalm top`: what a running NF does, live: by its probe, by DPDK telemetry, or by perf.

May import `counters`, `nf`, `report`. Start at `watch`.
"""
