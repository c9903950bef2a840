# SPDX-License-Identifier: Apache-2.0
"""Change points: each series along the first parent, and what of its steps is significant.

Imports alerts and below. Start at `tasks.py`: `look.py` finds, `significance.py` weighs and reports to
alerts.
"""
