# SPDX-License-Identifier: Apache-2.0
"""Reads and writes text: figures, names, JSON, and text of other programs and people.

Imports no other package of core. Start at `percents`.
"""
