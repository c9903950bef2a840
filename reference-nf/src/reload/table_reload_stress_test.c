/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces tables repeatedly while threads read and count in them: no thread reads destroyed tables, each sees new
 * ones, and no count is lost. Runs without EAL, so that ThreadSanitizer (-Db_sanitize=thread) instruments every access.
 */
#include <stdlib.h>

#include "check.h"
#include "reload/table_reload.h"

#define READERS 3u
#define STAGES 2u
#define ROUNDS 300u
#define COPIES 32u
#define PARK_EVERY 64u

struct tables {
	uint64_t copies[COPIES]; /* of its number; 0: destroyed */
	uint64_t counts[READERS], inherited;
};

static uint64_t made, alive;
static bool out_of_memory; /* the second stage's build fails */

static void *build(const void *settings, const struct stage_place *place)
{
	const bool *fails = settings;
	struct tables *t = calloc(1, sizeof(*t));

	(void)place;
	CHECK(t != NULL);
	if (*fails) {
		free(t);
		return NULL;
	}
	made++;
	alive++;
	for (uint32_t i = 0; i < COPIES; i++)
		t->copies[i] = made;
	return t;
}

static void inherit(void *tables, const void *old_tables)
{
	struct tables *t = tables;
	const struct tables *old = old_tables;

	t->inherited = old->inherited;
	for (uint32_t i = 0; i < READERS; i++)
		t->inherited += old->counts[i];
}

static void destroy(void *tables)
{
	memset(tables, 0, sizeof(struct tables));
	free(tables);
	alive--;
}

static const struct stage_ops first_stage = {
	.name = "first",
	.hooks = {.build = build, .inherit = inherit, .destroy = destroy},
};
static const struct stage_ops second_stage = {
	.name = "second",
	.hooks = {.build = build, .inherit = inherit, .destroy = destroy},
};

static const void *settings_of(const void *arg, const struct stage_ops *ops)
{
	static const bool good; /* false: enough memory */
	return ops == &second_stage ? arg : &good;
}

struct reader {
	struct chain *chain;
	struct rte_rcu_qsbr *readers;
	atomic_bool *stop;
	atomic_uint *reading; /* readers that have begun: an exchange waits for these alone */
	uint32_t number;
	uint64_t iterations, changes;
};

/* One stage's turn with a batch. Returns the number of its tables. */
static uint64_t use_tables(const struct rcu_tables *rcu, uint32_t reader)
{
	struct tables *t = rcu_tables_get(rcu);
	uint64_t number = t->copies[0];

	CHECK(number != 0);
	for (uint32_t i = 1; i < COPIES; i++)
		CHECK_EQUAL(t->copies[i], number);
	t->counts[reader]++;
	return number;
}

static void *read_on(void *arg)
{
	struct reader *r = arg;
	uint64_t seen[STAGES] = {0};

	CHECK_EQUAL(rte_rcu_qsbr_thread_register(r->readers, r->number), 0);
	rte_rcu_qsbr_thread_online(r->readers, r->number);
	atomic_fetch_add(r->reading, 1);
	while (!atomic_load(r->stop)) {
		for (uint32_t s = 0; s < STAGES; s++) {
			uint64_t number = use_tables(&r->chain->stages[s].rcu, r->number);
			CHECK(number >= seen[s]); /* old tables do not come back */
			r->changes += number != seen[s];
			seen[s] = number;
		}
		rte_rcu_qsbr_quiescent(r->readers, r->number);
		if (++r->iterations % PARK_EVERY == 0) {
			rte_rcu_qsbr_thread_offline(r->readers, r->number);
			rte_rcu_qsbr_thread_online(r->readers, r->number);
		}
	}
	rte_rcu_qsbr_thread_offline(r->readers, r->number);
	CHECK_EQUAL(rte_rcu_qsbr_thread_unregister(r->readers, r->number), 0);
	return NULL;
}

static struct rte_rcu_qsbr *make_readers(void)
{
	size_t bytes = RTE_ALIGN_CEIL(rte_rcu_qsbr_get_memsize(READERS), RTE_CACHE_LINE_SIZE);
	struct rte_rcu_qsbr *readers = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);

	CHECK(readers != NULL);
	CHECK_EQUAL(rte_rcu_qsbr_init(readers, READERS), 0);
	return readers;
}

static struct chain *make_chain(void)
{
	struct chain *c = calloc(1, sizeof(*c));

	CHECK(c != NULL);
	c->count = STAGES;
	c->stages[0].ops = &first_stage;
	c->stages[1].ops = &second_stage;
	for (uint32_t s = 0; s < STAGES; s++)
		atomic_init(&c->stages[s].rcu.tables, build(&out_of_memory, NULL));
	return c;
}

/* Sometimes the second stage has no memory: then the first one also keeps its tables. */
static void apply(struct chain *c, struct rte_rcu_qsbr *readers, uint32_t round)
{
	struct table_reloads reloads;
	const void *before = rcu_tables_get(&c->stages[0].rcu);
	bool fails = round % 60 == 0;

	CHECK(table_reloads_build(&reloads, c, settings_of, &fails) == !fails);
	if (!fails)
		table_reloads_exchange(&reloads, readers);
	CHECK((rcu_tables_get(&c->stages[0].rcu) == before) == fails);
	CHECK_EQUAL(alive, STAGES);
}

static void tables_change_under_readers(void)
{
	struct chain *c = make_chain();
	struct rte_rcu_qsbr *qsbr = make_readers();
	atomic_bool stop = false;
	atomic_uint reading = 0;
	pthread_t threads[READERS];
	struct reader readers[READERS];
	uint64_t iterations = 0;

	for (uint32_t i = 0; i < READERS; i++) {
		readers[i] = (struct reader){.chain = c, .readers = qsbr, .stop = &stop, .reading = &reading, .number = i};
		CHECK_EQUAL(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
	}
	while (atomic_load(&reading) < READERS)
		rte_pause();
	for (uint32_t round = 1; round <= ROUNDS; round++)
		apply(c, qsbr, round);
	atomic_store(&stop, true);
	for (uint32_t i = 0; i < READERS; i++) {
		CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
		iterations += readers[i].iterations;
		CHECK(readers[i].changes > STAGES);
	}
	for (uint32_t s = 0; s < STAGES; s++) {
		struct tables *t = rcu_tables_get(&c->stages[s].rcu);
		uint64_t sum = t->inherited;
		for (uint32_t i = 0; i < READERS; i++)
			sum += t->counts[i];
		CHECK_EQUAL(sum, iterations);
		destroy(t);
	}
	free(qsbr);
	free(c);
}

int main(void)
{
	RUN(tables_change_under_readers);
	return 0;
}
