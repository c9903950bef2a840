# SPDX-License-Identifier: Apache-2.0
"""Change points: each series along the first parent, and which of its steps are significant.

Imports alerts and below. Start at `tasks.py`: `look.py` finds change points, `significance.py` weighs them
and reports to alerts.
"""
