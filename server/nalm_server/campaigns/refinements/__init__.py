# SPDX-License-Identifier: Apache-2.0
"""Refinements: pairs that a coarse margin called equal, or left undecided, measured on to a fine one."""
