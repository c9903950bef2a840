# SPDX-License-Identifier: Apache-2.0
"""Views across packages: histories, comparisons, renderings, exports, feeds, live jobs.

Imports everything but ops, app and cli. One folder for each view; start at its `endpoints.py`.
"""
