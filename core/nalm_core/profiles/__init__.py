# SPDX-License-Identifier: Apache-2.0
"""What each function, call path and source line costs a packet, in both arms.

May import `report` and what that may. Start at `function_costs`.
"""
