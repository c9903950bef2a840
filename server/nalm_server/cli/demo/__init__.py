# SPDX-License-Identifier: Apache-2.0
"""`nalm-server demo`: a history of merges with planted changes, taken all the way through a real nalm.

The way: history.py (git repository) -> service.py (an embedded server) -> deliver.py (a signed webhook per
merge) -> follow.py (progress until each has its verdict) -> table.py (verdicts beside what was planted).
"""
