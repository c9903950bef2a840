# SPDX-License-Identifier: Apache-2.0
"""Fine margins at the desk: the launches of all runs of this host, pools of pairs, and plans.

May import what `desk` may. Start at `stored.py`.
"""
