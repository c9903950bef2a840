# SPDX-License-Identifier: Apache-2.0
"""Alerts: one for each finding, its states, what people do with it.

Imports results and below; calls packages above through `ports.py`. Every search for changes calls
`findings.suspect`; `states.py` is the table of states, `lifecycle.py` has the changes of state.
"""
