/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPENFLOW_COUNTS_H
#define OPENFLOW_COUNTS_H

#include <stdio.h>

#include "openflow/openflow_table.h"
#include "rcu_tables.h"

/* As stage_hooks says. */
void openflow_inherit(void *tables, const void *old);
void openflow_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);
void openflow_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count);

#endif
