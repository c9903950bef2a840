# SPDX-License-Identifier: Apache-2.0
"""Statistics over launches: estimates, intervals, sequential looks, false discoveries.

May import `report` and what that may. Start at `estimate`.
"""
