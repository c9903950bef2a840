# SPDX-License-Identifier: Apache-2.0
"""Imported figures of other tools, shown with measured ones and never judged."""
