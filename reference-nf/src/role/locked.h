/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State `locked`: a stage's one instance, shared by all workers under one lock, taken once per batch.
 */
#ifndef LOCKED_H
#define LOCKED_H

#include <rte_spinlock.h>

#include "packet/batch.h"

struct locked {
	rte_spinlock_t lock;
	void (*process)(void *instance, struct batch *batch, uint64_t now_ns);
	void *instance;
} __attribute__((aligned(64)));

/* A stage's process() around that of the instance. */
void locked_call(void *locked, struct batch *batch, uint64_t now_ns);

#endif
