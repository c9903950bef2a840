# SPDX-License-Identifier: Apache-2.0
"""Linked history: the levels of all commits from the comparisons between them (docs/statistics.md).

Start at `levels.py`: it solves for levels, intervals and weights. `links.py` reads a run report's
comparisons, `environments.py` finds what hosts and compilers add, `ladder.py` plans comparisons over longer
distances.
"""
