# SPDX-License-Identifier: Apache-2.0
"""Series written out for other tools."""
