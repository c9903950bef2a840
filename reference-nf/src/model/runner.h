/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roles on lcores: role i runs on lcore i modulo the number of lcores, those of one lcore in turn. So one lcore runs
 * any model, with the same packets in the same batches each time, and as many lcores as roles run it in parallel.
 */
#ifndef RUNNER_H
#define RUNNER_H

#include <rte_rcu_qsbr.h>

#include "model/plan.h"

struct runner {
	struct plan *plan;
	struct nalm_probe *probe;
	volatile sig_atomic_t *stop;
	struct rte_rcu_qsbr *readers; /* who may hold tables; the number of an lcore here is its thread id there */
};

/* Opens every flow through the NF itself, then forgets the counts. Before any loop, on one thread. */
void runner_prime(struct plan *plan);
/* Runs all roles on EAL's lcores until each has ended. false: an lcore found no room in the probe. */
bool runner_run(struct runner *runner);

#endif
