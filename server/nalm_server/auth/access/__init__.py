# SPDX-License-Identifier: Apache-2.0
"""Who may do what in which project."""
