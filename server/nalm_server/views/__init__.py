# SPDX-License-Identifier: Apache-2.0
"""What readers are shown across packages, and never changes anything: histories, comparisons, renderings, exports,
feeds, changes as they happen.

Imports everything but ops, app and cli. One folder for each view; start at its `endpoints.py`.
"""
