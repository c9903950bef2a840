# SPDX-License-Identifier: Apache-2.0
"""The API for bench agents: lease, progress, finish."""
