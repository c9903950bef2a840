# SPDX-License-Identifier: Apache-2.0
"""What people do with alerts: one change, the same for many, and back."""
