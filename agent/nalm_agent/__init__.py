# SPDX-License-Identifier: Apache-2.0
"""nalm_agent: the bench agent and the command `nalm`."""

import os
from functools import cache

# NumPy's threads wait for each other by spinning: on matrices as small as ours they take six times the
# processor time, beside what is measured. NumPy reads this when it loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@cache
def version() -> str:
    """Version of this package as installed."""
    from importlib.metadata import version as installed_version  # takes a third of the time of `nalm --help`

    return installed_version("nalm-agent")
