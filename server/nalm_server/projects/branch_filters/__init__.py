# SPDX-License-Identifier: Apache-2.0
"""What of a project's repository is watched and measured, and how the server reads it."""
