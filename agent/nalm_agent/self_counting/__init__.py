# SPDX-License-Identifier: Apache-2.0
"""NFs that keep counters of their own (Open vSwitch, VPP): the commands that show these, and the formats.

May import `config`. Start at `formats`.
"""
