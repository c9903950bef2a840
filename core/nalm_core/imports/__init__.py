# SPDX-License-Identifier: Apache-2.0
"""Reads results of other tools: text in, figures without a verdict out. Pure."""
