# SPDX-License-Identifier: Apache-2.0
"""Fine margins: launches of one pair pooled over hosts, hours and layouts, and the plan of a measurement.

May import `stats`, `report` and what those may. Start at `pool.py`: it judges a pair by all of its launches.
`components.py` splits their variance into levels, `plan.py` calculates what a margin takes.
"""
