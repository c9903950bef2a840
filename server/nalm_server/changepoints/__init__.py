# SPDX-License-Identifier: Apache-2.0
"""The history look: change points of each series along the first parent, and what of them is worth a word."""
