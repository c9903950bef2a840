# SPDX-License-Identifier: Apache-2.0
"""NFs with their own counters (Open vSwitch, VPP): the commands that show them, and their formats.

May import `config`. Start at `formats`.
"""
