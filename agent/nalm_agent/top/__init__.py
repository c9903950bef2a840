# SPDX-License-Identifier: Apache-2.0
"""`nalm top`: shows a running NF live, read by its probe, DPDK telemetry or perf.

May import `counters`, `nf`, `report`. Start at `watch`.
"""
