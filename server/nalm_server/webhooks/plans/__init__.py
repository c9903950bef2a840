# SPDX-License-Identifier: Apache-2.0
"""What to measure for an event. Queries the commit graph, so never inside a transaction; writes nothing."""
