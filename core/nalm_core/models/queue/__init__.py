# SPDX-License-Identifier: Apache-2.0
"""The queue of an lcore that takes packets in batches (Geissler et al.): batch sizes, loss, delays.

Time is discrete: all times are in steps, of STEP_NS by default. Start at `solution`.
"""
