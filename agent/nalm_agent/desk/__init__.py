# SPDX-License-Identifier: Apache-2.0
"""What the commands at a developer's desk do: check, compare, watch, hooks, explain, bisect, history.

May import `measure`, `rates`, `server_api`, `report` and what these import. Start at `check`.
"""
