# SPDX-License-Identifier: Apache-2.0
"""Jobs: what is to be measured, in which state, leased to whom. Agents and bench hosts.

Imports git and below; what lies above is called through `ports.py`. Start at `service.py` (queued, moved) and
`leasing.py` (given out); `agents` speaks to agents, `hosts` shows hosts to people.
"""
