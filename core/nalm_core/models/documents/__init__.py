# SPDX-License-Identifier: Apache-2.0
"""Inputs and answers of the models as documents: one definition for `nalm model`, the API and the dashboard.

Each module has the documents of one model and the function from one to the other. An answer states what it
assumes, and marks each figure that is outside what was measured. May import the models. Start at `base`.
"""
