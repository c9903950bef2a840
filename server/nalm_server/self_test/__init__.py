# SPDX-License-Identifier: Apache-2.0
"""The service judges itself: trials whose truth is known, and what became of its findings."""
