/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads use one table under one lock, as state `locked` does. For ThreadSanitizer: -Db_sanitize=thread
 * -Dc_args=-DRTE_FORCE_INTRINSICS, which builds the spinlock from instructions that it recognizes. The library rte_hash
 * is not instrumented: for that kind the test sees only the keys and our own code.
 */
#include <pthread.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_spinlock.h>

#include "check.h"
#include "table/flow_table.h"
#include "table/flow_table_core.h"

#define THREADS 2u
#define OWN 2000u /* records of a thread: THREADS * i + its number */
#define STEPS 60000u

struct record {
	struct flow_key key;
	bool in_table;
} __attribute__((aligned(64)));

struct user {
	pthread_t thread;
	uint32_t number;
	uint32_t held;	/* own records in the table */
	uint64_t met;	/* records of the other thread that were found */
	bool through;
};

static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;
static struct flow_table *table; /* this and the records: under the lock */
static struct record records[THREADS * OWN];
static uint32_t through;

/* Looks a row of all threads' records up: each is found exactly if it is in the table. */
static void look_around(struct user *user, uint32_t first)
{
	struct flow_key keys[FLOW_TABLE_BULK];
	uint32_t found[FLOW_TABLE_BULK];

	for (uint32_t i = 0; i < FLOW_TABLE_BULK; i++)
		keys[i] = records[(first + i) % (THREADS * OWN)].key;
	uint64_t hits = flow_table_find(table, keys, FLOW_TABLE_BULK, found);
	for (uint32_t i = 0; i < FLOW_TABLE_BULK; i++) {
		uint32_t record = (first + i) % (THREADS * OWN);
		CHECK_EQUAL(hits >> i & 1, records[record].in_table);
		if (!records[record].in_table)
			continue;
		CHECK_EQUAL(found[i], record);
		user->met += record % THREADS != user->number;
	}
}

static void turn_over(struct user *user, uint32_t record, uint64_t random)
{
	struct record *r = &records[record];

	if (r->in_table) {
		flow_table_remove(table, record);
		user->held--;
	} else {
		r->key = (struct flow_key){{random, record}}; /* the record's number makes the key unique */
		CHECK(flow_table_insert(table, record));
		user->held++;
	}
	r->in_table = !r->in_table;
}

/* One turn under the lock. false: every thread had its turns and found records of the other. */
static bool take_turn(struct user *user, uint32_t step)
{
	uint64_t random = mix64((uint64_t)user->number << 32 | step);
	uint32_t record = (uint32_t)(random >> 32) % OWN * THREADS + user->number;

	rte_spinlock_lock(&lock);
	turn_over(user, record, random);
	if (step % 16 == 0)
		look_around(user, record);
	if (!user->through && step >= STEPS && user->met > 0) {
		user->through = true;
		through++;
	}
	bool go_on = through < THREADS;
	rte_spinlock_unlock(&lock);
	return go_on;
}

/* Continues until the other has also finished, so that they overlap. */
static void *use_table(void *arg)
{
	uint32_t step = 0;

	while (take_turn(arg, step))
		step++;
	return NULL;
}

static void stress(enum flow_table_kind kind)
{
	struct flow_table_params params = {
		.name = "stress",
		.kind = kind,
		.entries = THREADS * OWN,
		.keys = &records[0].key,
		.stride = sizeof(struct record),
		.socket = (int)rte_socket_id(),
		.prefetch = true,
	};
	struct user users[THREADS] = {{.number = 0}, {.number = 1}};

	fprintf(stderr, "%s\n", flow_table_kinds[kind]);
	memset(records, 0, sizeof(records));
	through = 0;
	table = flow_table_create(&params);
	CHECK(table != NULL);
	for (uint32_t i = 0; i < THREADS; i++)
		CHECK_EQUAL(pthread_create(&users[i].thread, NULL, use_table, &users[i]), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		CHECK_EQUAL(pthread_join(users[i].thread, NULL), 0);
	CHECK_EQUAL(flow_table_count(table), users[0].held + users[1].held);
	flow_table_destroy(table);
}

int main(int argc, char **argv)
{
	char *eal[] = {argv[0],	     "--no-huge", "-m",		"32",
		       "--no-shconf", "--no-pci",  "--lcores=0", "--no-telemetry", NULL};

	cpu_set_t cpus;

	(void)argc;
	CHECK_EQUAL(pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus), 0);
	CHECK(rte_eal_init(8, eal) >= 0);
	/* EAL has bound this thread to its lcore; the others would inherit that */
	CHECK_EQUAL(pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus), 0);
	for (enum flow_table_kind kind = 0; flow_table_kinds[kind] != NULL; kind++)
		stress(kind);
	return 0;
}
