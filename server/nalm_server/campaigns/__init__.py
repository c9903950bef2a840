# SPDX-License-Identifier: Apache-2.0
"""Campaigns: work that takes several measurements, asks for them as jobs, and concludes what they came to.

Start at `kind.py`, which says what a kind of campaign must do; `engine.py` calls it; `kinds.py` lists them.
Imports jobs, projects, results and alerts; nothing of these imports a kind.
"""
