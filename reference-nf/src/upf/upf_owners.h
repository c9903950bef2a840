/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UPF_OWNERS_H
#define UPF_OWNERS_H

#include "stage.h"

/* A packet belongs to the instance that its subscriber's address tells, in a tunnel or not: the IPv4 address, where the
 * session has one. So all of a session's do whose subscriber uses its own addresses. */
void upf_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
		struct stage_owner owners[]);

#endif
