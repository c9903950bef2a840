# SPDX-License-Identifier: Apache-2.0
"""Which properties of hosts move measurements, over all recorded runs."""
