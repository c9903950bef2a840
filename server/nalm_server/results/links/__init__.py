# SPDX-License-Identifier: Apache-2.0
"""Linked histories: the comparisons of all runs, and the levels that follow from them.

Start at `linked.py`; `entry.py` stores the comparisons of a report.
"""
