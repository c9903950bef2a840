# SPDX-License-Identifier: Apache-2.0
"""Reads the user's git repository: revisions, trees, submodules, Git LFS, source files.

May import `runtime`. Start at `git`.
"""
