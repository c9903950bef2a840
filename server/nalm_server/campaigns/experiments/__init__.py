# SPDX-License-Identifier: Apache-2.0
"""Experiments: what features, variants and execution models of one commit cost. They enter no series."""
