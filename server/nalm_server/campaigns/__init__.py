# SPDX-License-Identifier: Apache-2.0
"""Campaigns: work of several measurements, which queues them as jobs and draws a conclusion from the results.

Start at `kind.py`, the interface of a kind; `engine.py` calls it; `kinds.py` lists all kinds. Imports jobs,
projects, results, alerts and change points; none of these imports a kind.
"""
