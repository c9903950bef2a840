# SPDX-License-Identifier: Apache-2.0
"""Repositories: commits, branches, tags, pull requests; bare mirrors and questions to their commit graph.

Imports auth and below. `events.py` is what can happen to a repository, whoever reports it; `graph` asks git,
`commits` and `refs` are what the server knows, `branch_filters` which branches count.
"""
