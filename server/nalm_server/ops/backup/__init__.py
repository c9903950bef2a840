# SPDX-License-Identifier: Apache-2.0
"""The whole database in one file, taken while the server runs; and back, into an empty state."""
