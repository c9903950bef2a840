# SPDX-License-Identifier: BSD-3-Clause
"""Executable specification of the reference NF: what its stages do to each packet, from the RFCs."""
