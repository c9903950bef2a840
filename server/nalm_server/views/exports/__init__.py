# SPDX-License-Identifier: Apache-2.0
"""Series, and what was judged of them, written out for other tools."""
