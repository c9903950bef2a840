/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables that are replaced as a whole while packets flow. Readers are the lcores: each loads the pointer once per batch
 * and holds nothing of it past its iteration, after which it reports a quiescent state (rte_rcu_qsbr). The one writer
 * is the control thread, in reload/table_reload.c.
 */
#ifndef RCU_TABLES_H
#define RCU_TABLES_H

#include <pthread.h>
#include <stdatomic.h>

/* Whoever looks at tables and is no lcore (telemetry) holds it meanwhile; the control thread takes it to replace them. */
extern pthread_mutex_t rcu_tables_lock;

struct rcu_tables {
	void *_Atomic tables; /* control thread writes, lcores read */
};

static inline void *rcu_tables_get(const struct rcu_tables *rcu)
{
	/* pairs with (R) in reload/table_reload.c */
	return atomic_load_explicit((void *_Atomic *)(uintptr_t)&rcu->tables, memory_order_acquire);
}

#endif
