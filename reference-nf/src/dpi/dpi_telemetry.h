/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_TELEMETRY_H
#define DPI_TELEMETRY_H

#include <stdbool.h>

#include "rcu_tables.h"

/* Registers /nalm/dpi with rte_telemetry. false: reported on stderr. */
bool dpi_telemetry_register(const struct rcu_tables *rcu);

#endif
