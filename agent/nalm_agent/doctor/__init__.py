# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: shows what this host can measure, and each problem with its effect and remedy.

May import `measure`, `report`. Start at `examine`.
"""
