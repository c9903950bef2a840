# SPDX-License-Identifier: Apache-2.0
"""All projects at a glance: what is open, what changed, what waits."""
