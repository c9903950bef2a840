# SPDX-License-Identifier: Apache-2.0
"""`nalm-server demo`: runs a history of merges with planted changes through a real nalm.

Path: history.py (git repository) -> service.py (an embedded server) -> deliver.py (a signed webhook for each
merge) -> follow.py (progress until all verdicts) -> table.py (verdicts and planted changes).
"""
