/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TELEMETRY_H
#define TELEMETRY_H

#include "model/plan.h"

/* Offers over rte_telemetry: /nalm/stages, packets and outcomes; /nalm/roles, lcores and back-pressure;
 * /nalm/traffic, what is sent and metered. false: reported on stderr. */
bool telemetry_open(const struct plan *plan);

#endif
