# SPDX-License-Identifier: Apache-2.0
"""The side of the API that bench agents call: lease, progress, finish."""
