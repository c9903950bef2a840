# SPDX-License-Identifier: Apache-2.0
"""Verdicts as texts for other programs: pure functions of what was judged. Whoever made the commit chose the
names in them, so nothing in a name, a path or a log may mean anything to the program that reads the text."""
