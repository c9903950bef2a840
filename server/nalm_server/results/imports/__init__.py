# SPDX-License-Identifier: Apache-2.0
"""Imported figures of other tools, shown beside measured ones and never judged."""
