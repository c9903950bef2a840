# SPDX-License-Identifier: Apache-2.0
"""`nalm-server seed`: a project of made-up commits, runs and alerts, to try a server or a page at size.

Path: command.py -> story.py (what happens at each commit) -> rows.py (the rows of it) -> repository.py (SQL).
Every figure is a pure function of the arguments, so two seeded databases are equal; times, too, with --ends.
"""
