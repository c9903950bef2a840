# SPDX-License-Identifier: Apache-2.0
"""What this host is: fingerprint, CPUs, latencies, time stamp counter, hardware counters, health.

May import `runtime`, `store`, `config`, `native`. Start at `fingerprint`.
"""
