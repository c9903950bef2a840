# SPDX-License-Identifier: Apache-2.0
"""Runs: reports taken in, judged, stored whole."""
