# SPDX-License-Identifier: Apache-2.0
"""Commands for developers: check, compare, watch, hooks, explain, bisect, history.

May import `measure`, `rates`, `server_api`, `report` and what these import. Start at `check`.
"""
