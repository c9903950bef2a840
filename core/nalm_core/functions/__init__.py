# SPDX-License-Identifier: Apache-2.0
"""Judges the C functions of two arms: by exact counts and by samples, with shifts of cost between functions.

May import `stats`, `report` and what they may. Start at `judge_functions`.
"""
