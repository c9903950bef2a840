# SPDX-License-Identifier: Apache-2.0
"""nalm_server: webhooks in, jobs out to agents, run reports in, verdicts stored and shown."""

import os

# NumPy's threads wait for each other by spinning: on matrices as small as ours they take six times the
# processor time, in each worker. NumPy reads this when it loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
