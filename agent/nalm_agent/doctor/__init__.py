# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: what this host can measure; each problem with its effect and its cure.

May import `measure`, `report`. Start at `examine`.
"""
