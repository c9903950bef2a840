/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_cycles.h>

#include "renewal.h"

pthread_mutex_t live_lookers = PTHREAD_MUTEX_INITIALIZER;

static void destroy_all(const struct renewals *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].stage->ops->destroy(r->of[i].tables);
}

bool renewals_build(struct renewals *r, struct chain *c,
		    const void *(*settings_of)(const void *arg, const struct stage_ops *ops), const void *arg)
{
	r->count = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		struct chain_stage *s = &c->stages[i];
		if (s->ops->build == NULL)
			continue;
		uint64_t begin = rte_rdtsc();
		const void *settings = settings_of(arg, s->ops);
		void *tables = s->ops->build(settings, &s->place);
		if (tables == NULL) {
			fprintf(stderr, "reload: %s: no new tables beside those in use, see above\n", s->ops->name);
			destroy_all(r);
			return false;
		}
		r->of[r->count++] = (struct renewal){s, settings, tables, rte_rdtsc() - begin};
	}
	return true;
}

/* By the inline calls that rte_rcu_qsbr_synchronize() consists of: ThreadSanitizer sees what is compiled here. */
static void wait_for_readers(struct rte_rcu_qsbr *readers)
{
	(void)rte_rcu_qsbr_check(readers, rte_rcu_qsbr_start(readers), true);
}

void renewals_exchange(struct renewals *r, struct rte_rcu_qsbr *readers)
{
	pthread_mutex_lock(&live_lookers);
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].tables = atomic_exchange_explicit(&r->of[i].stage->live.tables, r->of[i].tables,
							   memory_order_acq_rel); /* (R) */
	wait_for_readers(readers);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct chain_stage *s = r->of[i].stage;
		if (s->ops->inherit != NULL)
			s->ops->inherit(live_tables(&s->live), r->of[i].tables);
	}
	destroy_all(r);
	pthread_mutex_unlock(&live_lookers);
}
