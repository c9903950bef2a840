# SPDX-License-Identifier: Apache-2.0
"""Repositories: commits, branches, tags, pull requests; bare mirrors and queries of their commit graph.

Imports auth and below. `events.py` has the events of a repository from any source; `graph` reads git;
`commits` and `refs` store git's data; `branch_filters` determines which branches are measured.
"""
