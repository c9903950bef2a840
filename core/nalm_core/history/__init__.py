# SPDX-License-Identifier: Apache-2.0
"""The history of a scenario: where its environment changed, what is judged together, what a change weighs."""
