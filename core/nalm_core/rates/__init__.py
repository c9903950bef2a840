# SPDX-License-Identifier: Apache-2.0
"""Rate and soak reports: trials, throughput, latency, and whether they are valid.

May import `verdict` and what that may. Start at `rate_report`.
"""
