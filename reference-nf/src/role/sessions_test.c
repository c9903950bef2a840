/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_lcore.h>

#include "check.h"
#include "role/sessions.h"
#include "stage_fixture.h"

#define ENTRIES 64u
#define TIMEOUT 1000u

static struct sessions *make(uint32_t workers)
{
	const struct stage_place place = {.hash = FLOW_TABLE_SIGNATURE, .prefetch = true, .socket = (int)rte_socket_id()};
	struct sessions *s = sessions_create(ENTRIES, workers, TIMEOUT, &place);
	CHECK(s != NULL);
	return s;
}

static struct stage_owner by_key(uint64_t number)
{
	return (struct stage_owner){{{number, 7}}, OWNER_BY_KEY};
}

static uint8_t find_one(struct sessions *s, uint64_t number, uint64_t now, bool expect_fresh)
{
	struct stage_owner owner = by_key(number);
	uint32_t fresh = 0;
	uint8_t worker = UINT8_MAX;

	sessions_begin(s, now);
	uint32_t known = sessions_find(s, &owner, 1, now, &worker, &fresh);
	CHECK_EQUAL(known, expect_fresh ? 0 : 1);
	CHECK_EQUAL(fresh, expect_fresh ? 1 : 0);
	return worker;
}

static void first_packet_goes_to_the_least_loaded(void)
{
	struct sessions *s = make(3);

	for (uint64_t n = 0; n < 9; n++)
		CHECK_EQUAL(find_one(s, n, 0, true), n % 3);
	for (uint64_t n = 0; n < 9; n++)
		CHECK_EQUAL(find_one(s, n, 1, false), n % 3);
	sessions_destroy(s);
}

static void repeated_in_one_batch_is_one_session(void)
{
	struct sessions *s = make(2);
	struct stage_owner owners[] = {by_key(1), by_key(2), by_key(1), by_key(2), by_key(1)};
	uint8_t worker[5];
	uint32_t fresh = 0;

	CHECK_EQUAL(sessions_find(s, owners, 5, 0, worker, &fresh), 3);
	CHECK_EQUAL(fresh, 2);
	CHECK_EQUAL(sessions_count(s), 2);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_EQUAL(worker[i], i % 2);
	sessions_destroy(s);
}

static void chosen_and_any(void)
{
	struct sessions *s = make(4);
	struct stage_owner owners[] = {{{{0, 0}}, 3}, {{{0, 0}}, OWNER_ANY}, by_key(1)};
	uint8_t worker[3];
	uint32_t fresh = 0;

	CHECK_EQUAL(sessions_find(s, owners, 3, 0, worker, &fresh), 0);
	CHECK_EQUAL(fresh, 1);
	CHECK_EQUAL(worker[0], 3);
	CHECK_EQUAL(worker[1], 0);
	CHECK_EQUAL(worker[2], 0);
	sessions_destroy(s);
}

static void idle_ones_are_forgotten(void)
{
	struct sessions *s = make(2);

	find_one(s, 1, 0, true);
	find_one(s, 2, 0, true);
	CHECK_EQUAL(find_one(s, 1, TIMEOUT - 1, false), 0); /* used: stays */
	sessions_begin(s, TIMEOUT);
	CHECK_EQUAL(sessions_count(s), 1);
	CHECK_EQUAL(find_one(s, 3, TIMEOUT, true), 1); /* worker 1 has none now */
	sessions_destroy(s);
}

static void a_full_table_forgets_the_longest_idle(void)
{
	struct sessions *s = make(2);

	for (uint64_t n = 0; n < ENTRIES; n++)
		find_one(s, n, n, true);
	find_one(s, 0, ENTRIES, false); /* now session 1 is the oldest */
	find_one(s, 1000, ENTRIES, true);
	CHECK_EQUAL(sessions_count(s), ENTRIES);
	find_one(s, 0, ENTRIES, false);
	find_one(s, 1, ENTRIES, true);
	sessions_destroy(s);
}

/* More new flows in one batch than the table holds: each packet gets a worker, always the same for the same flow. */
static void overrun_in_one_batch(void)
{
	struct sessions *s = make(2);
	struct stage_owner owners[FLOW_TABLE_BULK];
	uint8_t worker[FLOW_TABLE_BULK];

	for (uint32_t round = 0; round < 10; round++) {
		uint32_t fresh = 0;
		for (uint32_t i = 0; i < FLOW_TABLE_BULK; i++)
			owners[i] = by_key(round * FLOW_TABLE_BULK + i / 2);
		uint32_t known = sessions_find(s, owners, FLOW_TABLE_BULK, round, worker, &fresh);
		CHECK_EQUAL(known + fresh, FLOW_TABLE_BULK);
		for (uint32_t i = 0; i < FLOW_TABLE_BULK; i += 2) {
			CHECK(worker[i] < 2);
			CHECK_EQUAL(worker[i], worker[i + 1]);
		}
	}
	CHECK(sessions_count(s) <= ENTRIES);
	sessions_destroy(s);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(first_packet_goes_to_the_least_loaded);
	RUN(repeated_in_one_batch_is_one_session);
	RUN(chosen_and_any);
	RUN(idle_ones_are_forgotten);
	RUN(a_full_table_forgets_the_longest_idle);
	RUN(overrun_in_one_batch);
	return 0;
}
