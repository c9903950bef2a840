# SPDX-License-Identifier: Apache-2.0
"""How well the server judges: controls and other trials whose truth is known, and what became of findings.

Imports features and below. Start at `service.py`; `controls.py` queues code against itself.
"""
