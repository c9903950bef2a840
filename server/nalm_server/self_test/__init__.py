# SPDX-License-Identifier: Apache-2.0
"""Quality of the server's verdicts: controls and other trials of known truth, and the outcome of findings.

Imports features and below. Start at `service.py`; `controls.py` queues code against itself.
"""
