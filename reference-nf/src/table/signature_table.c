/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <rte_prefetch.h>

#include "table/signature_simd.h"
#include "table/signature_table.h"
#include "table/table_memory.h"

#define PASSED (1u << 31) /* in indexes[0]: a record of this bucket or an earlier one is in a later one */
#define INDEX (PASSED - 1)

struct bucket {
	uint32_t signatures[SIGNATURE_SLOTS]; /* 0: empty */
	uint32_t indexes[SIGNATURE_SLOTS];
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct bucket) == 64, "one line");
_Static_assert(FLOW_TABLE_ENTRIES_MAX <= INDEX, "room for the flag");
_Static_assert(SIGNATURE_SLOTS * SIGNATURE_REACH <= UINT8_MAX, "passed does not overflow");

struct signature_table {
	struct flow_table common;
	uint32_t bucket_count;
	uint32_t reach; /* SIGNATURE_REACH, fewer where there are fewer buckets */
	struct bucket *buckets;
	uint8_t *passed; /* per bucket: records that lie behind it because it was full; 0 and PASSED go together */
};

static const struct signature_table *of_const(const struct flow_table *table)
{
	return (const struct signature_table *)(const void *)table;
}

static struct signature_table *of(struct flow_table *table)
{
	return (struct signature_table *)(void *)table;
}

static size_t bucket_bytes(const struct signature_table *t)
{
	return t->bucket_count * sizeof(struct bucket);
}

struct flow_table *signature_table_create(const struct flow_table_params *params)
{
	struct signature_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->bucket_count = signature_buckets(params->entries);
	t->reach = RTE_MIN(SIGNATURE_REACH, t->bucket_count - 1);
	t->buckets = table_memory_take(params->name, bucket_bytes(t), params->socket);
	t->passed = calloc(t->bucket_count, sizeof(*t->passed));
	if (t->buckets == NULL || t->passed == NULL) {
		signature_table_destroy(&t->common);
		return NULL;
	}
	return &t->common;
}

void signature_table_destroy(struct flow_table *table)
{
	struct signature_table *t = of(table);

	table_memory_give(t->buckets, bucket_bytes(t));
	free(t->passed);
	free(t);
}

static inline uint32_t home_of(const struct signature_table *t, const struct flow_key *key)
{
	return flow_hash_reduce(flow_hash(key, t->common.hash_seed), t->bucket_count);
}

static inline uint32_t next_bucket(const struct signature_table *t, uint32_t bucket)
{
	return bucket + 1 == t->bucket_count ? 0 : bucket + 1;
}

static inline uint64_t first_bits(uint32_t n)
{
	return UINT64_MAX >> (FLOW_TABLE_BULK - n);
}

/* Checks every slot that may have the key. */
static uint32_t search(const struct signature_table *t, const struct flow_key *key)
{
	uint32_t bucket = home_of(t, key), signature = signature_of(key);

	for (uint32_t far = 0; far <= t->reach; far++, bucket = next_bucket(t, bucket)) {
		const struct bucket *b = &t->buckets[bucket];
		for (uint32_t slots = simd_match(b->signatures, signature); slots != 0; slots &= slots - 1) {
			uint32_t record = b->indexes[__builtin_ctz(slots)] & INDEX;
			if (flow_key_equal(flow_record_key(&t->common, record), key))
				return record;
		}
		if ((b->indexes[0] & PASSED) == 0)
			break;
	}
	return FLOW_TABLE_NONE;
}

static uint64_t search_each(const struct signature_table *t, const struct flow_key keys[], uint64_t which,
			    uint32_t records[])
{
	uint64_t hits = 0;

	for (; which != 0; which &= which - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(which);
		records[i] = search(t, &keys[i]);
		hits |= (uint64_t)(records[i] != FLOW_TABLE_NONE) << i;
	}
	return hits;
}

/* The state of a bulk in three passes: buckets, signatures, keys. Each pass reads lines that the previous one
 * prefetched. */
struct bulk {
	const struct flow_key *keys;
	uint32_t *records;
	uint32_t n;
	const struct bucket *buckets[FLOW_TABLE_BULK];
	uint32_t signatures[FLOW_TABLE_BULK];
	uint8_t slots[FLOW_TABLE_BULK] __attribute__((aligned(32))); /* that match; records has the first's record */
};
_Static_assert(FLOW_TABLE_BULK == 64 && SIGNATURE_SLOTS == 8, "sizes of simd_nonzero and simd_match");

static inline void ask_for_buckets(const struct signature_table *t, struct bulk *bulk)
{
	for (uint32_t i = 0; i < bulk->n; i++) {
		bulk->buckets[i] = &t->buckets[home_of(t, &bulk->keys[i])];
		rte_prefetch0(bulk->buckets[i]);
		bulk->signatures[i] = signature_of(&bulk->keys[i]);
	}
}

static inline void ask_for_records(const struct signature_table *t, struct bulk *bulk)
{
	for (uint32_t i = 0; i < bulk->n; i++) {
		const struct bucket *b = bulk->buckets[i];
		uint32_t slots = simd_match(b->signatures, bulk->signatures[i]);
		uint32_t first = (uint32_t)__builtin_ctz(slots | 1u << (SIGNATURE_SLOTS - 1));
		uint32_t fits = -(uint32_t)(slots != 0); /* a mask: strangers come as no branch can foresee */
		uint32_t record = b->indexes[first] & INDEX & fits; /* 0: a line that is at hand */
		rte_prefetch0(flow_record_key(&t->common, record));
		bulk->records[i] = record;
		bulk->slots[i] = (uint8_t)slots;
	}
}

/* Whether a key that is not the first candidate's may be elsewhere. */
static inline bool is_unsettled(const struct bulk *bulk, uint32_t i)
{
	uint32_t slots = bulk->slots[i];
	return (slots & (slots - 1)) != 0 || (bulk->buckets[i]->indexes[0] & PASSED) != 0;
}

/* Keys that the first candidates do not settle are rare; they are searched one by one. */
static uint64_t search_unsettled(const struct signature_table *t, const struct bulk *bulk, uint64_t missed)
{
	uint64_t unsettled = 0;

	for (; missed != 0; missed &= missed - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(missed);
		unsettled |= (uint64_t)is_unsettled(bulk, i) << i;
	}
	return search_each(t, bulk->keys, unsettled, bulk->records);
}

static inline uint64_t compare_keys(const struct signature_table *t, const struct bulk *bulk)
{
	uint8_t equal[FLOW_TABLE_BULK] __attribute__((aligned(32)));

	for (uint32_t i = 0; i < bulk->n; i++)
		equal[i] = flow_key_equal(flow_record_key(&t->common, bulk->records[i]), &bulk->keys[i]);
	uint64_t all = first_bits(bulk->n);
	uint64_t hits = simd_nonzero(equal) & simd_nonzero(bulk->slots) & all;
	uint64_t missed = hits ^ all;
	return missed == 0 ? hits : hits | search_unsettled(t, bulk, missed);
}

/* Three bulks are in progress, one in each pass, so that no pass waits for memory at a bulk's end. */
static void find_together(const struct signature_table *t, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			  uint32_t records[])
{
	struct bulk bulks[FLOW_TABLE_BULKS];
	uint32_t count = flow_bulks(n);

	for (uint32_t step = 0; step < count + 2; step++) {
		if (step < count) {
			struct bulk *bulk = &bulks[step];
			bulk->keys = keys + step * FLOW_TABLE_BULK;
			bulk->records = records + step * FLOW_TABLE_BULK;
			bulk->n = flow_bulk_size(step, n);
			ask_for_buckets(t, bulk);
		}
		if (step >= 1 && step - 1 < count)
			ask_for_records(t, &bulks[step - 1]);
		if (step >= 2)
			hits[step - 2] = compare_keys(t, &bulks[step - 2]);
	}
}

static void find_each(const struct signature_table *t, const struct flow_key keys[], uint32_t n, uint64_t hits[],
		      uint32_t records[])
{
	for (uint32_t bulk = 0; bulk < flow_bulks(n); bulk++) {
		uint32_t first = bulk * FLOW_TABLE_BULK;
		uint64_t all = first_bits(flow_bulk_size(bulk, n));
		hits[bulk] = search_each(t, keys + first, all, records + first);
	}
}

void signature_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			  uint32_t records[])
{
	if (table->prefetch)
		find_together(of_const(table), keys, n, hits, records);
	else
		find_each(of_const(table), keys, n, hits, records);
}

static void count_passed(struct signature_table *t, uint32_t home, uint32_t far, int change)
{
	for (uint32_t bucket = home; far > 0; far--, bucket = next_bucket(t, bucket)) {
		t->passed[bucket] = (uint8_t)(t->passed[bucket] + change);
		if (t->passed[bucket] != 0)
			t->buckets[bucket].indexes[0] |= PASSED;
		else
			t->buckets[bucket].indexes[0] &= INDEX;
	}
}

bool signature_table_insert(struct flow_table *table, uint32_t record)
{
	struct signature_table *t = of(table);
	const struct flow_key *key = flow_record_key(table, record);
	uint32_t home = home_of(t, key), bucket = home;

	for (uint32_t far = 0; far <= t->reach; far++, bucket = next_bucket(t, bucket)) {
		struct bucket *b = &t->buckets[bucket];
		uint32_t empty = simd_match(b->signatures, 0);
		if (empty == 0)
			continue;
		uint32_t slot = (uint32_t)__builtin_ctz(empty);
		b->signatures[slot] = signature_of(key);
		b->indexes[slot] = record | (b->indexes[slot] & PASSED);
		count_passed(t, home, far, 1);
		return true;
	}
	return false;
}

void signature_table_remove(struct flow_table *table, uint32_t record)
{
	struct signature_table *t = of(table);
	const struct flow_key *key = flow_record_key(table, record);
	uint32_t home = home_of(t, key), bucket = home, signature = signature_of(key);

	for (uint32_t far = 0; far <= t->reach; far++, bucket = next_bucket(t, bucket)) {
		struct bucket *b = &t->buckets[bucket];
		for (uint32_t slots = simd_match(b->signatures, signature); slots != 0; slots &= slots - 1) {
			uint32_t slot = (uint32_t)__builtin_ctz(slots);
			if ((b->indexes[slot] & INDEX) == record) {
				b->signatures[slot] = 0;
				count_passed(t, home, far, -1);
				return;
			}
		}
	}
}
