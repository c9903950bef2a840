# SPDX-License-Identifier: Apache-2.0
"""What was measured: the run report, the counters and profiles it carries, and the defaults of a run.

May import `text`. Start at `run_report`.
"""
