# SPDX-License-Identifier: Apache-2.0
"""Facts about this host: fingerprint, CPUs, latencies, time stamp counter, hardware counters, health.

May import `runtime`, `store`, `config`, `native`. Start at `fingerprint`.
"""
