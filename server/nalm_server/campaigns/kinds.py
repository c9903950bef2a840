# SPDX-License-Identifier: Apache-2.0
"""All kinds of campaigns."""

from __future__ import annotations

from nalm_server.campaigns.backfill.kind import BACKFILL
from nalm_server.campaigns.bisection.kind import BISECTION
from nalm_server.campaigns.confirmation.kind import CONFIRMATION
from nalm_server.campaigns.experiments.kind import EXPERIMENT
from nalm_server.campaigns.kind import Kind
from nalm_server.campaigns.links.kind import LINK
from nalm_server.campaigns.refinements.kind import REFINEMENT
from nalm_server.campaigns.remeasurements.kind import REMEASUREMENT

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (BACKFILL, BISECTION, CONFIRMATION, EXPERIMENT, LINK, REFINEMENT, REMEASUREMENT)
}
