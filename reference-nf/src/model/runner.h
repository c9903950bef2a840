/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs roles on lcores: role i on lcore i modulo the number of lcores, and the roles of one lcore in turn. So one lcore
 * runs any model, always with the same packets in the same batches, and as many lcores as roles run it in parallel.
 */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdatomic.h>

#include <rte_rcu_qsbr.h>

#include "model/plan.h"

struct runner {
	struct plan *plan;
	struct nalm_probe *probe;
	struct stop_flag *stop;
	struct rte_rcu_qsbr *readers; /* threads that may hold tables; an lcore's number is its thread id */
	atomic_uint entered;	      /* lcores that have what they need, or have failed */
	atomic_bool failed;	      /* one of them: then no loop begins */
};

/* Opens every flow through the NF itself, then resets the counts. Before any loop, on one thread. */
void runner_prime(struct plan *plan);
/* Runs all roles on EAL's lcores until each has ended. false: reported on stderr, and no packet has passed. */
bool runner_run(struct runner *runner);

#endif
