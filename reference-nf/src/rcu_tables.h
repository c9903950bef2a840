/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables that are replaced as a whole while packets pass. The readers are the lcores: each loads the pointer once per
 * batch, uses it only within its iteration, and then reports a quiescent state (rte_rcu_qsbr). The only writer is the
 * control thread, in reload/table_reload.c.
 */
#ifndef RCU_TABLES_H
#define RCU_TABLES_H

#include <pthread.h>
#include <stdatomic.h>

/* Readers that are no lcores (telemetry) hold it while they read; the control thread takes it to replace tables. */
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
