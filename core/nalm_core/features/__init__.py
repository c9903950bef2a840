# SPDX-License-Identifier: Apache-2.0
"""Prices of features: NCPP, the additive cost model, and the decomposition of a change of CPP.

May import `verdict` and what that may. Start at `decomposition`.
"""
