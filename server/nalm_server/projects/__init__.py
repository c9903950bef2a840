# SPDX-License-Identifier: Apache-2.0
"""Projects: NF repositories that are watched, and their secrets."""
