# SPDX-License-Identifier: Apache-2.0
"""The cost per packet of each function, call path and source line, in both arms.

May import `report` and what that may. Start at `function_costs`.
"""
