/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TELEMETRY_H
#define TELEMETRY_H

#include "model/plan.h"

/* Offers /nalm/stages over rte_telemetry: packets and outcomes by stage. false: said on stderr. */
bool telemetry_open(const struct plan *plan);

#endif
