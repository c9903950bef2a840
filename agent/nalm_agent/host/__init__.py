# SPDX-License-Identifier: Apache-2.0
"""This host: fingerprint, CPUs, latencies, time stamp counter, hardware counters, health; its settings,
changed and reverted (`tune`).

May import `runtime`, `store`, `config`, `native`. Start at `fingerprint`.
"""
