/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_OWNERS_H
#define LB_OWNERS_H

#include "stage.h"

/* The client's end determines the instance that owns a connection, in both directions. */
void lb_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
	       struct stage_owner owners[]);

#endif
