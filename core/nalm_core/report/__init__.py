# SPDX-License-Identifier: Apache-2.0
"""The run report, its counters and profiles, and the defaults of a run.

May import `text`. Start at `run_report`.
"""
