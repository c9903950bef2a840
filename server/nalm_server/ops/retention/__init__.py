# SPDX-License-Identifier: Apache-2.0
"""What ages out, by each project's rules, and the count of what did."""
