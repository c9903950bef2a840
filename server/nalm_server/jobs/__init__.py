# SPDX-License-Identifier: Apache-2.0
"""Jobs: what to measure, in which state, leased to which host. Agents and bench hosts.

Imports git and below; calls packages above through `ports.py`. Start at `service.py` (queue, change state)
and `leasing.py` (lease). `agents` serves agents, `hosts` shows hosts to people.
"""
