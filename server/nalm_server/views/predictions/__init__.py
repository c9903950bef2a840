# SPDX-License-Identifier: Apache-2.0
"""The models of core for what a project measured: inputs from runs, and answers (docs/models.md).

Imports features and below. Start at `endpoints.py`.
"""
