# SPDX-License-Identifier: Apache-2.0
"""Repositories: commits, branches, tags, pull requests; bare mirrors and queries of their commit graph.

Imports auth and below. `events.py` has the events of a repository from any source; `graph` reads git;
`commits` and `refs` store what the server knows; `branch_filters` says which branches are measured.
"""
