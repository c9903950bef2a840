# SPDX-License-Identifier: Apache-2.0
"""Change points of a series of commits: where its level changed, by how much, and on which hosts.

May import `report` and what that may. Start at `detect`.
"""
