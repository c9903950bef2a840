# SPDX-License-Identifier: Apache-2.0
"""The commit graph of a project's repository, read from the server's own bare mirror.

A mirror has commits and no trees (`--filter=tree:0`): some tens of megabytes for a long history. A forge
without filters sends everything. A call may take minutes: never call one inside a transaction.
"""

from nalm_server.git.graph.batch import GraphQueries, gather
from nalm_server.git.graph.batch_answers import Graph
from nalm_server.git.graph.errors import AddressError, GraphError, NotOfACommitError, UnknownRevisionError
from nalm_server.git.graph.files import file_text
from nalm_server.git.graph.history import changed_paths, first_parent, merge_base, resolve
from nalm_server.git.graph.log import GraphCommit
from nalm_server.git.graph.mirror import fetch
from nalm_server.git.graph.remote import FirstLook, first_look, ls_remote

__all__ = [
    "AddressError",
    "FirstLook",
    "Graph",
    "GraphCommit",
    "GraphError",
    "GraphQueries",
    "NotOfACommitError",
    "UnknownRevisionError",
    "changed_paths",
    "fetch",
    "file_text",
    "first_look",
    "first_parent",
    "gather",
    "ls_remote",
    "merge_base",
    "resolve",
]
