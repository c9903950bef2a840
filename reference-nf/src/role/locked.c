/* SPDX-License-Identifier: BSD-3-Clause */
#include "role/locked.h"

void locked_call(void *state, struct batch *batch, uint64_t now_ns)
{
	struct locked *l = state;

	rte_spinlock_lock(&l->lock);
	l->process(l->instance, batch, now_ns);
	rte_spinlock_unlock(&l->lock);
}
