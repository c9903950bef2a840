# SPDX-License-Identifier: Apache-2.0
"""Models of the papers: what an NF will do with more lcores, more load, other hardware.

Each module or package has one model as pure functions. docs/models.md lists the papers, and what each model
can and cannot say. May import `stats` and what that may. Start at `speedup`.
"""
