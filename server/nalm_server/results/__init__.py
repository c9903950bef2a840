# SPDX-License-Identifier: Apache-2.0
"""Results: reports taken in, judged by core, stored whole, entered into their series. Imports of other tools.

Imports jobs and below; what lies above is called through `ports.py`. Start at `intake.py`.
"""
