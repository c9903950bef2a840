# SPDX-License-Identifier: Apache-2.0
"""Alerts: one for each finding, its states, what people do with it.

Imports results and below; what lies above is called through `ports.py`. Whatever looks at measurements calls
`findings.suspect`; `states.py` is the table of states, `lifecycle.py` its steps.
"""
