/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <rte_prefetch.h>

#include "table/flow_table_kinds.h"
#include "table/signature_table.h"
#include "table/table_memory.h"

#define PASSED (1u << 31) /* in indexes[0]: a record that belongs here or before lies behind */
#define INDEX (PASSED - 1)

struct bucket {
	uint32_t signatures[SIGNATURE_SLOTS]; /* 0: empty */
	uint32_t indexes[SIGNATURE_SLOTS];
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct bucket) == 64, "one line");
_Static_assert(FLOW_TABLE_ENTRIES_MAX <= INDEX, "room for the mark");
_Static_assert(SIGNATURE_SLOTS * SIGNATURE_REACH <= UINT8_MAX, "passed counts");

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

/* Bit i: slot i holds the signature. */
static inline uint32_t match(const struct bucket *b, uint32_t signature)
{
#ifdef __AVX2__
	__m256i slots = _mm256_load_si256((const __m256i *)(const void *)b->signatures);
	__m256i equal = _mm256_cmpeq_epi32(slots, _mm256_set1_epi32((int)signature));
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
#else
	uint32_t slots = 0;
	for (uint32_t i = 0; i < SIGNATURE_SLOTS; i++)
		slots |= (uint32_t)(b->signatures[i] == signature) << i;
	return slots;
#endif
}

static inline uint32_t home_of(const struct signature_table *t, const struct flow_key *key)
{
	return flow_hash_reduce(flow_hash(key, t->common.hash_seed), t->bucket_count);
}

static inline uint32_t next_bucket(const struct signature_table *t, uint32_t bucket)
{
	return bucket + 1 == t->bucket_count ? 0 : bucket + 1;
}

/* Looks at every slot that may hold the key. */
static uint32_t search(const struct signature_table *t, const struct flow_key *key)
{
	uint32_t bucket = home_of(t, key), signature = signature_of(key);

	for (uint32_t far = 0; far <= t->reach; far++, bucket = next_bucket(t, bucket)) {
		const struct bucket *b = &t->buckets[bucket];
		for (uint32_t slots = match(b, signature); slots != 0; slots &= slots - 1) {
			uint32_t record = b->indexes[__builtin_ctz(slots)] & INDEX;
			if (flow_key_equal(flow_record_key(&t->common, record), key))
				return record;
		}
		if ((b->indexes[0] & PASSED) == 0)
			break;
	}
	return FLOW_TABLE_NONE;
}

static inline uint64_t search_each(const struct signature_table *t, const struct flow_key keys[], uint64_t which,
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

/* Three passes, each over lines that the one before has asked for: buckets, signatures, keys. What one candidate per
 * key does not settle is rare, and searched for at the end. */
static inline uint64_t find_together(const struct signature_table *t, const struct flow_key keys[], uint32_t n,
				     uint32_t records[])
{
	const struct bucket *buckets[FLOW_TABLE_BULK];
	uint32_t signatures[FLOW_TABLE_BULK];
	uint64_t candidates = 0, more = 0, hits = 0;

	for (uint32_t i = 0; i < n; i++) {
		buckets[i] = &t->buckets[home_of(t, &keys[i])];
		rte_prefetch0(buckets[i]);
		signatures[i] = signature_of(&keys[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct bucket *b = buckets[i];
		uint32_t slots = match(b, signatures[i]);
		uint32_t first = (uint32_t)__builtin_ctz(slots | 1u << (SIGNATURE_SLOTS - 1));
		records[i] = slots == 0 ? 0 : b->indexes[first] & INDEX; /* 0: a line that is at hand */
		rte_prefetch0(flow_record_key(&t->common, records[i]));
		candidates |= (uint64_t)(slots != 0) << i;
		more |= (uint64_t)((slots & (slots - 1)) != 0 || (b->indexes[0] & PASSED) != 0) << i;
	}
	for (uint32_t i = 0; i < n; i++)
		hits |= (uint64_t)flow_key_equal(flow_record_key(&t->common, records[i]), &keys[i]) << i;
	hits &= candidates;
	return hits | search_each(t, keys, more & ~hits, records);
}

uint64_t signature_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n,
			      uint32_t records[])
{
	if (table->prefetch)
		return find_together(of_const(table), keys, n, records);
	return search_each(of_const(table), keys, UINT64_MAX >> (64 - n), records);
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
		uint32_t empty = match(b, 0);
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
		for (uint32_t slots = match(b, signature); slots != 0; slots &= slots - 1) {
			uint32_t slot = (uint32_t)__builtin_ctz(slots);
			if ((b->indexes[slot] & INDEX) == record) {
				b->signatures[slot] = 0;
				count_passed(t, home, far, -1);
				return;
			}
		}
	}
}
