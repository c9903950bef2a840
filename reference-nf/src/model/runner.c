/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "model/runner.h"

/* Runs every role of this lcore once. Returns packets handled by the NF, or by the traffic if this lcore has no other
 * role. */
static inline uint32_t iterate(const struct plan *p, uint32_t first, uint32_t step, struct nalm_lcore *lcore, bool *all)
{
	uint32_t handled = 0, apart = 0;

	*all = true;
	for (uint32_t i = first; i < p->role_count; i += step) {
		struct role *r = p->roles[i];
		if (role_has_ended(r))
			continue;
		*all = false;
		uint32_t n = role_run(r, lcore);
		if (r->apart)
			apart = n;
		else
			handled = RTE_MAX(handled, n);
	}
	return first == p->role_count - 1 && p->roles[first]->apart ? apart : handled;
}

/* Parks. A parked lcore holds no tables and does not delay their replacement. false: the gate has ended the run. */
__attribute__((noinline)) static bool runner_park(struct runner *r, uint32_t number, struct nalm_lcore *lcore)
{
	bool has_traffic = (r->plan->role_count - 1) % rte_lcore_count() == number; /* traffic is the last role */

	if (has_traffic)
		traffic_park(&r->plan->traffic);
	rte_rcu_qsbr_thread_offline(r->readers, number);
	bool go_on = nalm_probe_park(lcore);
	rte_rcu_qsbr_thread_online(r->readers, number);
	if (has_traffic)
		traffic_resume(&r->plan->traffic);
	return go_on;
}

void runner_loop(struct runner *r, uint32_t number, uint32_t lcores, struct nalm_lcore *lcore);
__attribute__((noinline)) void runner_loop(struct runner *r, uint32_t number, uint32_t lcores, struct nalm_lcore *lcore)
{
	bool finishing = false, ended = false;

	while (!ended) {
		if (!finishing && !nalm_probe_ready(lcore) && !runner_park(r, number, lcore)) {
			finishing = true;
			stop_flag_set(r->stop); /* packets in flight still arrive */
		}
		uint32_t n = iterate(r->plan, number, lcores, lcore, &ended);
		nalm_probe_commit(lcore, n);
		rte_rcu_qsbr_quiescent(r->readers, number);
	}
}

static bool claim(struct runner *r, uint32_t number, struct nalm_lcore *lcore)
{
	const char *file = getenv("NALM_PROBE_FILE");
	int err = nalm_lcore_claim(r->probe, rte_lcore_id(), lcore);

	if (err != 0)
		fprintf(stderr, "probe: no room in %s for the counters of lcore %u: %s\n",
			file == NULL ? "memory" : file, rte_lcore_id(), strerror(-err));
	else if (rte_rcu_qsbr_thread_register(r->readers, number) != 0)
		fprintf(stderr, "lcore %u cannot be a reader of tables\n", rte_lcore_id());
	else
		return true;
	return false;
}

/* Waits for all lcores. A role ends only after those before it: if an lcore had no loop, those of the others would not
 * end, whoever asks them to. */
static bool all_have_entered(struct runner *r, bool ok)
{
	if (!ok)
		atomic_store(&r->failed, true);
	atomic_fetch_add(&r->entered, 1);
	while (atomic_load(&r->entered) < rte_lcore_count())
		sched_yield(); /* lcores may share a CPU */
	return !atomic_load(&r->failed);
}

static int run_lcore(void *arg)
{
	struct runner *r = arg;
	uint32_t number = (uint32_t)rte_lcore_index((int)rte_lcore_id());
	struct nalm_lcore lcore;

	tsan_acquire(r); /* from the lcore that launched this one */
	if (!all_have_entered(r, claim(r, number, &lcore)))
		return -1;
	rte_rcu_qsbr_thread_online(r->readers, number);
	runner_loop(r, number, rte_lcore_count(), &lcore);
	rte_rcu_qsbr_thread_offline(r->readers, number);
	tsan_release(r->readers); /* what waits for readers need not wait for this one any more */
	(void)rte_rcu_qsbr_thread_unregister(r->readers, number);
	nalm_lcore_finish(&lcore);
	tsan_release(r);
	return 0;
}

bool runner_run(struct runner *r)
{
	tsan_release(r);
	bool ok = rte_eal_mp_remote_launch(run_lcore, r, CALL_MAIN) == 0;
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore)
		ok = rte_eal_wait_lcore(lcore) == 0 && ok;
	tsan_acquire(r);
	return ok;
}

/* Moves packets over the hop, if there is one. Returns how many. */
static uint32_t cross(const struct traffic *t)
{
	struct hop_switch *hop = traffic_hop(t);

	return hop == NULL ? 0 : hop_switch_send(hop) + hop_switch_receive(hop);
}

void runner_prime(struct plan *p)
{
	struct traffic *t = &p->traffic;
	uint32_t n;

	while (t->generator != NULL && generator_prime(t->generator) != 0) {
		do {
			n = cross(t);
			for (uint32_t i = 0; i + 1 < p->role_count; i++)
				n += p->roles[i]->step(p->roles[i], NULL);
			n += cross(t) + sink_process(t->sink);
		} while (n != 0);
	}
	chain_reset_totals(p->chain);
}
