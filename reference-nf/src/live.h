/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables that are replaced as a whole while packets flow. Readers are the lcores: each loads the pointer once per batch
 * and holds nothing of it past its iteration, after which it reports a quiescent state (rte_rcu_qsbr). The one writer
 * is the control thread, in renewal.c.
 */
#ifndef LIVE_H
#define LIVE_H

#include <pthread.h>
#include <stdatomic.h>

/* Whoever looks at tables and is no lcore (telemetry) holds it meanwhile; the control thread takes it to replace them. */
extern pthread_mutex_t live_lookers;

struct live {
	void *_Atomic tables; /* control thread writes, lcores read */
};

static inline void *live_tables(const struct live *live)
{
	/* pairs with (R) in renewal.c */
	return atomic_load_explicit((void *_Atomic *)(uintptr_t)&live->tables, memory_order_acquire);
}

#endif
