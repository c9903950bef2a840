# SPDX-License-Identifier: Apache-2.0
"""Findings as an Atom feed."""
