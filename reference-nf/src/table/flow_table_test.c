/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One test body for every kind of table: a lookup finds exactly the keys that a plain array of flags has.
 */
#include <rte_eal.h>
#include <rte_lcore.h>

#include "check.h"
#include "table/flow_table.h"
#include "table/signature_table.h"

/* Two keys per record, as of the two ends of a NAT mapping. */
struct record {
	uint64_t other[2];
	struct flow_key key, second;
	bool in_table;
} __attribute__((aligned(64)));

static struct flow_table_params params; /* of the kind under test */
static struct record *records;
static uint64_t state;

static uint64_t random64(void)
{
	return mix64(state++);
}

static uint32_t below(uint32_t limit)
{
	return flow_hash_reduce((uint32_t)random64(), limit);
}

static struct flow_table *open_table(uint32_t entries)
{
	records = aligned_alloc(64, entries * sizeof(*records));
	CHECK(records != NULL);
	memset(records, 0, entries * sizeof(*records));
	params.entries = entries;
	params.keys = &records[0].key;
	params.stride = sizeof(struct record);
	struct flow_table *table = flow_table_create(&params);
	CHECK(table != NULL);
	CHECK_EQUAL(flow_table_count(table), 0);
	return table;
}

static void close_table(struct flow_table *table)
{
	flow_table_destroy(table);
	free(records);
}

static uint32_t find_one(const struct flow_table *table, const struct flow_key *key)
{
	uint32_t found;
	uint64_t hits = flow_table_find(table, key, 1, &found);
	CHECK(hits <= 1);
	return hits == 1 ? found : FLOW_TABLE_NONE;
}

static bool insert(struct flow_table *table, uint32_t record)
{
	records[record].in_table = flow_table_insert(table, record);
	return records[record].in_table;
}

static void take_out(struct flow_table *table, uint32_t record)
{
	flow_table_remove(table, record);
	records[record].in_table = false;
}

/* Looks every record up, in batches of the size. */
static void check_all(const struct flow_table *table, uint32_t count, uint32_t batch)
{
	for (uint32_t first = 0; first < count; first += batch) {
		struct flow_key keys[FLOW_TABLE_BATCH];
		uint32_t found[FLOW_TABLE_BATCH], n = RTE_MIN(batch, count - first);
		uint64_t hits[FLOW_TABLE_BULKS];
		for (uint32_t i = 0; i < n; i++)
			keys[i] = records[first + i].key;
		if (n <= FLOW_TABLE_BULK)
			hits[0] = flow_table_find(table, keys, n, found);
		else
			flow_table_find_batch(table, keys, n, hits, found);
		for (uint32_t i = 0; i < n; i++) {
			CHECK_EQUAL(hits[i / 64] >> i % 64 & 1, records[first + i].in_table);
			if (records[first + i].in_table)
				CHECK_EQUAL(found[i], first + i);
		}
		CHECK(n % 64 == 0 || hits[n / 64] >> n % 64 == 0);
	}
}

static void fill(struct flow_table *table, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		records[i].key = (struct flow_key){{random64(), i}};
		CHECK(insert(table, i));
	}
	CHECK_EQUAL(flow_table_count(table), count);
}

static void empty_table_finds_nothing(void)
{
	struct flow_table *table = open_table(1000);
	struct flow_key zero = {{0, 0}};

	CHECK(find_one(table, &zero) == FLOW_TABLE_NONE); /* record 0 has this key, but is not in the table */
	check_all(table, 1000, 64);
	close_table(table);
}

static void no_entries_is_refused(void)
{
	params.entries = 0;
	CHECK(flow_table_create(&params) == NULL);
	params.entries = FLOW_TABLE_ENTRIES_MAX + 1;
	CHECK(flow_table_create(&params) == NULL);
}

static void small_tables_fill(void)
{
	for (uint32_t entries = 1; entries <= 200; entries++) {
		struct flow_table *table = open_table(entries);
		fill(table, entries);
		check_all(table, entries, 64);
		close_table(table);
	}
}

/* Flows come and go at random, and records are reused with new keys; from time to time all are looked up. */
static void random_use(void)
{
	enum { ENTRIES = 1500, STEPS = 60000 };

	for (uint64_t seed = 0; seed < 4; seed++) {
		uint32_t held = 0;
		params.seed = seed;
		struct flow_table *table = open_table(ENTRIES);
		for (uint32_t step = 0; step < STEPS; step++) {
			uint32_t record = below(ENTRIES);
			struct record *r = &records[record];
			if (r->in_table) {
				CHECK_EQUAL(find_one(table, &r->key), record);
				take_out(table, record);
				CHECK(find_one(table, &r->key) == FLOW_TABLE_NONE);
				held--;
			} else if (held < ENTRIES * 9 / 10) {
				r->key = (struct flow_key){{random64() & 0xffffff, random64() & 0xff}};
				if (find_one(table, &r->key) != FLOW_TABLE_NONE)
					continue;
				CHECK(insert(table, record));
				held++;
			}
			CHECK_EQUAL(flow_table_count(table), held);
			if (step % 4096 == 0)
				check_all(table, ENTRIES, 1 + step / 4096);
		}
		close_table(table);
	}
	params.seed = 0;
}

static void every_batch_size(void)
{
	enum { ENTRIES = 5000 };
	struct flow_table *table = open_table(ENTRIES);

	fill(table, ENTRIES);
	for (uint32_t i = 0; i < ENTRIES; i += 3)
		take_out(table, i);
	for (uint32_t batch = 1; batch <= FLOW_TABLE_BATCH; batch++)
		check_all(table, ENTRIES, batch);
	close_table(table);
}

/* No key may be refused at load 0.9, and none is up to 1.0. After emptying, the table fills again. */
static void fills_to_the_last_record(void)
{
	enum { ENTRIES = 65536 };
	struct flow_table *table = open_table(ENTRIES);

	for (uint32_t again = 0; again < 3; again++) {
		fill(table, ENTRIES);
		check_all(table, ENTRIES, FLOW_TABLE_BATCH);
		for (uint32_t i = 0; i < ENTRIES; i++)
			take_out(table, i);
		CHECK_EQUAL(flow_table_count(table), 0);
		check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	}
	close_table(table);
}

/* Keys like addresses and ports of real endpoints: near each other, most bits equal. */
static void keys_in_sequence(void)
{
	enum { ENTRIES = 65536 };
	struct flow_table *table = open_table(ENTRIES);

	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint64_t address = 0x0a000000u + i / 256, port = 1024 + i % 256;
		records[i].key = (struct flow_key){{port << 32 | address, 17}};
		CHECK(insert(table, i));
	}
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	close_table(table);
}

static void two_tables_over_the_same_records(void)
{
	enum { ENTRIES = 1000 };
	struct flow_table *table = open_table(ENTRIES), *second;

	params.name = "second";
	params.keys = &records[0].second;
	second = flow_table_create(&params);
	CHECK(second != NULL);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		records[i].second = (struct flow_key){{i, 2}};
		CHECK(flow_table_insert(second, i));
	}
	fill(table, ENTRIES);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		CHECK_EQUAL(find_one(second, &records[i].second), i);
		CHECK(find_one(table, &records[i].second) == FLOW_TABLE_NONE);
	}
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	flow_table_destroy(second);
	params.name = "test";
	close_table(table);
}

/* The inverse of an odd number modulo 2^64 (Newton; five steps double 3 right bits to 64 and more). */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (uint32_t i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

/* A key whose signature is that of {0, 1}: signature_of()'s sum is the same for any first word. */
static struct flow_key same_signature(uint64_t first_word)
{
	uint64_t second = 1 - first_word * SIGNATURE_FACTOR_0 * inverse(SIGNATURE_FACTOR_1);
	return (struct flow_key){{first_word, second}};
}

static uint32_t bucket_of(const struct flow_key *key, uint32_t entries)
{
	return flow_hash_reduce(flow_table_hash(key, params.seed), signature_buckets(entries));
}

/* Keys of one signature, spread over buckets. */
static void same_signatures(void)
{
	enum { ENTRIES = 4096 };
	struct flow_table *table = open_table(ENTRIES);

	for (uint32_t i = 0; i < ENTRIES; i++) {
		records[i].key = same_signature(random64());
		CHECK_EQUAL(signature_of(&records[i].key), signature_of(&records[0].key));
		CHECK(insert(table, i));
	}
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	for (uint32_t i = 0; i < ENTRIES; i += 2)
		take_out(table, i);
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	close_table(table);
}

/* Keys of one bucket, with one signature or with any. A table may refuse keys past its limit. It finds keys that it
 * took and not those that it refused, and reuses room that is returned. */
static void fill_one_bucket(bool same)
{
	enum { ENTRIES = 1024, LIMIT = SIGNATURE_SLOTS * (SIGNATURE_REACH + 1) };
	struct flow_table *table = open_table(ENTRIES);
	uint32_t taken = 0;

	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct flow_key *key = &records[i].key;
		do
			*key = same ? same_signature(random64()) : (struct flow_key){{random64(), i}};
		while (bucket_of(key, ENTRIES) != 7);
		taken += insert(table, i);
		CHECK(i >= LIMIT || records[i].in_table);
	}
	CHECK_EQUAL(taken, params.kind == FLOW_TABLE_SIGNATURE ? LIMIT : ENTRIES);
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	for (uint32_t i = 0; i < LIMIT; i += 2)
		take_out(table, i);
	check_all(table, ENTRIES, 61);
	for (uint32_t i = 0; i < LIMIT; i += 2)
		CHECK(insert(table, i));
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	for (uint32_t i = 0; i < ENTRIES; i++)
		if (records[i].in_table)
			take_out(table, i);
	CHECK_EQUAL(flow_table_count(table), 0);
	check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	close_table(table);
}

static void same_bucket(void)
{
	fill_one_bucket(false);
}

static void same_bucket_and_signature(void)
{
	fill_one_bucket(true);
}

/* Neighbouring buckets overflow into each other and around the end, at random, as deep as they go. */
static void overflow_at_random(void)
{
	enum { ENTRIES = 600, STEPS = 100000 };
	struct flow_table *table = open_table(ENTRIES);
	uint32_t last = signature_buckets(ENTRIES) - 1;

	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct flow_key *key = &records[i].key;
		do
			*key = (struct flow_key){{random64(), i}};
		while (bucket_of(key, ENTRIES) > 2 && bucket_of(key, ENTRIES) < last - 2);
	}
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t record = below(ENTRIES);
		if (records[record].in_table)
			take_out(table, record);
		else
			insert(table, record);
		if (step % 1024 == 0)
			check_all(table, ENTRIES, FLOW_TABLE_BATCH);
	}
	close_table(table);
}

static void run_all(void)
{
	fprintf(stderr, "-- %s, prefetch %s\n", flow_table_kinds[params.kind], params.prefetch ? "on" : "off");
	state = 1;
	RUN(empty_table_finds_nothing);
	RUN(no_entries_is_refused);
	RUN(small_tables_fill);
	RUN(random_use);
	RUN(every_batch_size);
	RUN(fills_to_the_last_record);
	RUN(keys_in_sequence);
	RUN(two_tables_over_the_same_records);
	RUN(same_signatures);
	RUN(same_bucket);
	RUN(same_bucket_and_signature);
	RUN(overflow_at_random);
}

int main(int argc, char **argv)
{
	char *eal[] = {argv[0],	     "--no-huge", "-m",		"64",
		       "--no-shconf", "--no-pci",  "--lcores=0", "--no-telemetry", NULL};

	(void)argc;
	CHECK(rte_eal_init(8, eal) >= 0);
	params = (struct flow_table_params){.name = "test", .socket = (int)rte_socket_id()};
	for (params.kind = 0; flow_table_kinds[params.kind] != NULL; params.kind++) {
		params.prefetch = false;
		run_all();
		params.prefetch = true;
		run_all();
	}
	return 0;
}
