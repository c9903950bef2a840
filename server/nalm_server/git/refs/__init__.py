# SPDX-License-Identifier: Apache-2.0
"""Branches, tags and pull requests of projects, as forges reported them."""
