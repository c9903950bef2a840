# SPDX-License-Identifier: Apache-2.0
"""Versions with different feature sets: the reference, NCPP, prices of features, models and variants.

Imports campaigns and below. Start at `prices.py` and `ncpp.py`.
"""
