# SPDX-License-Identifier: Apache-2.0
"""Experiments on one commit: what features, variants and execution models cost."""
