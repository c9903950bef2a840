/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_cycles.h>

#include "reload/table_reload.h"

pthread_mutex_t rcu_tables_lock = PTHREAD_MUTEX_INITIALIZER;

static void destroy_all(const struct table_reloads *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].stage->ops->hooks.destroy(r->of[i].tables);
}

bool table_reloads_build(struct table_reloads *r, struct chain *c,
		    const void *(*settings_of)(const void *arg, const struct stage_ops *ops), const void *arg)
{
	r->count = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		struct chain_stage *s = &c->stages[i];
		if (s->ops->hooks.build == NULL)
			continue;
		uint64_t begin = rte_rdtsc();
		const void *settings = settings_of(arg, s->ops);
		void *tables = s->ops->hooks.build(settings, &s->place);
		if (tables == NULL) {
			fprintf(stderr, "reload: %s: cannot build new tables, see above\n", s->ops->name);
			destroy_all(r);
			return false;
		}
		r->of[r->count++] = (struct table_reload){s, settings, tables, rte_rdtsc() - begin};
	}
	return true;
}

/* Uses the inline calls of rte_rcu_qsbr_synchronize(), because ThreadSanitizer sees only code compiled here. */
static void wait_for_readers(struct rte_rcu_qsbr *readers)
{
	(void)rte_rcu_qsbr_check(readers, rte_rcu_qsbr_start(readers), true);
}

void table_reloads_exchange(struct table_reloads *r, struct rte_rcu_qsbr *readers)
{
	pthread_mutex_lock(&rcu_tables_lock);
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].tables = atomic_exchange_explicit(&r->of[i].stage->rcu.tables, r->of[i].tables,
							   memory_order_acq_rel); /* (R) */
	wait_for_readers(readers);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct chain_stage *s = r->of[i].stage;
		if (s->ops->hooks.inherit != NULL)
			s->ops->hooks.inherit(rcu_tables_get(&s->rcu), r->of[i].tables);
	}
	destroy_all(r);
	pthread_mutex_unlock(&rcu_tables_lock);
}
