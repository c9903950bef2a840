# SPDX-License-Identifier: Apache-2.0
"""Commits of a project, ordered along the first parent."""
