/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_malloc.h>

#include "role/sessions.h"
#include "table/table_memory.h"

#define NONE UINT32_MAX

struct session {
	struct flow_key key;
	uint64_t last_used_ns;
	uint32_t older, newer; /* neighbours by last use; newer: of a free one, the next free */
	uint32_t worker;
} __attribute__((aligned(64)));

struct sessions {
	struct flow_table *table;
	struct session *records;
	uint32_t entries, workers;
	uint32_t free;
	uint32_t oldest, newest;
	uint64_t timeout_ns;
	uint32_t of_worker[MODEL_MAX_WORKERS]; /* sessions each has */
};

struct sessions *sessions_create(uint32_t entries, uint32_t workers, uint64_t timeout_ns,
				 const struct stage_place *place)
{
	struct sessions *s = rte_zmalloc_socket("sessions", sizeof(*s), 64, place->socket);

	if (s != NULL)
		s->records = table_memory_take("session_records", (size_t)entries * sizeof(*s->records), place->socket);
	if (s == NULL || s->records == NULL) {
		fprintf(stderr, "dispatch: no memory for %u sessions; give EAL more (-m)\n", entries);
		rte_free(s);
		return NULL;
	}
	s->entries = entries;
	s->workers = workers;
	s->timeout_ns = timeout_ns;
	s->oldest = s->newest = NONE;
	for (uint32_t i = 0; i < entries; i++)
		s->records[i].newer = i + 1 == entries ? NONE : i + 1;
	s->table = flow_table_create(&(struct flow_table_params){
		.name = "sessions",
		.kind = place->hash,
		.entries = entries,
		.keys = &s->records[0].key,
		.stride = sizeof(*s->records),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	if (s->table == NULL) {
		table_memory_give(s->records, (size_t)entries * sizeof(*s->records));
		rte_free(s);
		return NULL;
	}
	return s;
}

void sessions_destroy(struct sessions *s)
{
	flow_table_destroy(s->table);
	table_memory_give(s->records, (size_t)s->entries * sizeof(*s->records));
	rte_free(s);
}

static void unlink_session(struct sessions *s, struct session *r)
{
	if (r->older != NONE)
		s->records[r->older].newer = r->newer;
	else
		s->oldest = r->newer;
	if (r->newer != NONE)
		s->records[r->newer].older = r->older;
	else
		s->newest = r->older;
}

static void append_session(struct sessions *s, uint32_t index)
{
	struct session *r = &s->records[index];

	r->older = s->newest;
	r->newer = NONE;
	if (s->newest == NONE)
		s->oldest = index;
	else
		s->records[s->newest].newer = index;
	s->newest = index;
}

static void forget_oldest(struct sessions *s)
{
	uint32_t index = s->oldest;
	struct session *r = &s->records[index];

	flow_table_remove(s->table, index);
	unlink_session(s, r);
	s->of_worker[r->worker]--;
	r->newer = s->free;
	s->free = index;
}

static uint32_t least_loaded(const struct sessions *s)
{
	uint32_t least = 0;
	for (uint32_t w = 1; w < s->workers; w++)
		if (s->of_worker[w] < s->of_worker[least])
			least = w;
	return least;
}

/* NONE: the table refused the key. */
static uint32_t add_session(struct sessions *s, const struct flow_key *key)
{
	if (s->free == NONE)
		forget_oldest(s);
	uint32_t index = s->free;
	struct session *r = &s->records[index];
	uint32_t next = r->newer;

	r->key = *key;
	if (!flow_table_insert(s->table, index))
		return NONE;
	s->free = next;
	r->worker = least_loaded(s);
	s->of_worker[r->worker]++;
	append_session(s, index);
	return index;
}

void sessions_begin(struct sessions *s, uint64_t now_ns)
{
	while (s->oldest != NONE && s->records[s->oldest].last_used_ns + s->timeout_ns <= now_ns)
		forget_oldest(s);
}

static void use(struct sessions *s, uint32_t index, uint64_t now_ns)
{
	struct session *r = &s->records[index];

	r->last_used_ns = now_ns;
	if (r->newer != NONE) {
		unlink_session(s, r);
		append_session(s, index);
	}
}

uint32_t sessions_find(struct sessions *s, const struct stage_owner owners[], uint32_t n, uint64_t now_ns,
		       uint8_t worker[], uint32_t *fresh)
{
	struct flow_key keys[BATCH_MAX];
	uint64_t hits[BATCH_MAX / FLOW_TABLE_BULK];
	uint32_t records[BATCH_MAX], where[BATCH_MAX], lookups = 0, known = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (owners[i].instance == OWNER_BY_KEY) {
			keys[lookups] = owners[i].key;
			where[lookups++] = i;
		} else {
			worker[i] = owners[i].instance < 0 ? 0 : (uint8_t)owners[i].instance;
		}
	}
	if (lookups == 0)
		return 0;
	flow_table_find_batch(s->table, keys, lookups, hits, records);
	for (uint32_t i = 0; i < lookups; i++) {
		bool found = hits[i / FLOW_TABLE_BULK] >> i % FLOW_TABLE_BULK & 1;
		/* an earlier packet of the batch may have registered the flow, or evicted it */
		if (!found || *fresh != 0)
			found = flow_table_find(s->table, &keys[i], 1, &records[i]) != 0;
		if (!found) {
			records[i] = add_session(s, &keys[i]);
			(*fresh)++;
		} else {
			known++;
		}
		if (records[i] == NONE) { /* not stored: any worker, the same for this key */
			worker[where[i]] = (uint8_t)(flow_table_hash(&keys[i], 0) % s->workers);
			continue;
		}
		use(s, records[i], now_ns);
		worker[where[i]] = (uint8_t)s->records[records[i]].worker;
	}
	return known;
}

uint32_t sessions_count(const struct sessions *s)
{
	return flow_table_count(s->table);
}
