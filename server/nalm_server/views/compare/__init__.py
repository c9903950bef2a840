# SPDX-License-Identifier: Apache-2.0
"""Two commits side by side."""
