# SPDX-License-Identifier: Apache-2.0
"""Results: stores and judges reports, and enters their figures into series. Imports of other tools.

Imports jobs and below; calls packages above through `ports.py`. Start at `intake.py`.
"""
