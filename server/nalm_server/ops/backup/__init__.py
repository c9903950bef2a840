# SPDX-License-Identifier: Apache-2.0
"""Saves the whole database into one file while the server runs, and restores it into an empty state."""
