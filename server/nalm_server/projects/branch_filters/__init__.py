# SPDX-License-Identifier: Apache-2.0
"""What is measured of a project's repository, and how the server reads it."""
