# SPDX-License-Identifier: Apache-2.0
"""The commit graph of a project's repository, asked of a bare mirror of the server's own.

A mirror has commits and no trees (`--filter=tree:0`), so that a large history is some tens of megabytes; a
forge that cannot filter sends everything. A call may take minutes: never call one inside a transaction.
"""

from nalm_server.git.graph.batch import GraphQueries, gather
from nalm_server.git.graph.batch_answers import Graph
from nalm_server.git.graph.errors import AddressError, GraphError, UnknownRevisionError
from nalm_server.git.graph.history import changed_paths, first_parent, merge_base, resolve
from nalm_server.git.graph.log import CommitInfo
from nalm_server.git.graph.mirror import fetch
from nalm_server.git.graph.remote import first_look, ls_remote

__all__ = [
    "AddressError",
    "CommitInfo",
    "Graph",
    "GraphError",
    "GraphQueries",
    "UnknownRevisionError",
    "changed_paths",
    "fetch",
    "first_look",
    "first_parent",
    "gather",
    "ls_remote",
    "merge_base",
    "resolve",
]
