# SPDX-License-Identifier: Apache-2.0
"""Cost models that experiments fitted."""
