/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State `locked`: all workers share a stage's one instance under one lock, taken once per batch.
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

/* Locks around the instance's process(). */
void locked_call(void *locked, struct batch *batch, uint64_t now_ns);

#endif
