/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NAT_OWNERS_H
#define NAT_OWNERS_H

#include "stage.h"

/* Outbound packets belong to the instance with their inside end, inbound ones to the instance with their port. */
void nat_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
		struct stage_owner owners[]);

#endif
