# SPDX-License-Identifier: Apache-2.0
"""The user's git repository, which is only read: revisions, trees, submodules, Git LFS, source files.

May import `runtime`. Start at `git`.
"""
