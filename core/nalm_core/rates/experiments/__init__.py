# SPDX-License-Identifier: Apache-2.0
"""Results of experiments that put an NF under load: flows, queues, roles, lcores, settings of the platform.

Start at `load_experiments`.
"""
