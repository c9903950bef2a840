/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "flow_cache/flow_cache.h"
#include "io/offload.h"
#include "packet/flow_id.h"
#include "table/table_memory.h"

#define EVICT_LOOKS 8u /* records examined to find one to evict */

enum flow_cache_outcome { FLOW_CACHE_FOLLOWS, FLOW_CACHE_FIRST, FLOW_CACHE_FULL, FLOW_CACHE_NO_FLOW };

static const struct nalm_outcome_spec flow_cache_outcomes[] = {
	[FLOW_CACHE_FOLLOWS] = {"follows", NALM_KIND_PASS},
	[FLOW_CACHE_FIRST] = {"first_of_flow", NALM_KIND_PASS},
	[FLOW_CACHE_FULL] = {"not_remembered", NALM_KIND_PASS},
	[FLOW_CACHE_NO_FLOW] = {"no_flow", NALM_KIND_PASS},
	{NULL, 0},
};

struct flow_cache_settings {
	uint32_t entries;
	uint32_t marks; /* numbers that the NIC gives flows; 0: it does not */
};

struct flow_cache {
	struct flow_table *table;
	struct flow_path *paths;
	uint32_t *used_in; /* by path: number of the batch that used it last */
	uint32_t entries, filled;
	uint32_t hand; /* where the next look for room begins */
	uint32_t batch;
	uint32_t marks;
	uint32_t *path_of; /* by the NIC's mark: path + 1; 0: none. NULL: packets are not marked */
	uint32_t *mark_of; /* by path: mark + 1; 0: none */
	struct flow_path none[BATCH_MAX]; /* of packets without a remembered path */
};

static void *flow_cache_configure(struct config *config)
{
	struct flow_cache_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->entries = (uint32_t)config_u64(config, "flow_cache", "entries", 65536, 1, 1u << 24);
	s->marks = (offload_read(config) & OFFLOAD_MARK) != 0 ? offload_marks(config) : 0;
	return s;
}

static void flow_cache_fini(void *instance)
{
	struct flow_cache *c = instance;

	rte_free(c->path_of);
	rte_free(c->mark_of);
	if (c->table != NULL)
		flow_table_destroy(c->table);
	table_memory_give(c->paths, (size_t)c->entries * sizeof(*c->paths));
	rte_free(c->used_in);
	rte_free(c);
}

static bool create_table(struct flow_cache *c, const struct stage_place *place)
{
	char name[32];

	snprintf(name, sizeof(name), "flow_cache_%u", place->index);
	c->table = flow_table_create(&(struct flow_table_params){
		.name = name,
		.kind = place->hash,
		.entries = c->entries,
		.keys = &c->paths[0].key,
		.stride = sizeof(*c->paths),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	return c->table != NULL;
}

static bool create_marks(struct flow_cache *c, uint32_t marks, int socket)
{
	c->marks = marks;
	if (marks == 0)
		return true;
	c->path_of = rte_zmalloc_socket("flow_marks", (size_t)marks * sizeof(*c->path_of), 64, socket);
	c->mark_of = rte_zmalloc_socket("flow_marks", (size_t)c->entries * sizeof(*c->mark_of), 64, socket);
	if (c->path_of != NULL && c->mark_of != NULL)
		return true;
	fprintf(stderr, "flow_cache: no memory for %u marks; give EAL more (-m)\n", marks);
	return false;
}

static void *flow_cache_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct flow_cache_settings *s = settings;
	struct flow_cache *c = rte_zmalloc_socket("flow_cache", sizeof(*c), 64, place->socket);

	(void)rcu;
	if (c == NULL) {
		fprintf(stderr, "flow_cache: no memory\n");
		return NULL;
	}
	c->entries = s->entries;
	c->paths = table_memory_take("flow_paths", (size_t)s->entries * sizeof(*c->paths), place->socket);
	c->used_in = rte_zmalloc_socket("flow_ages", (size_t)s->entries * sizeof(*c->used_in), 64, place->socket);
	if (c->paths == NULL || c->used_in == NULL) {
		fprintf(stderr, "flow_cache: no memory for %u flows; give EAL more (-m)\n", s->entries);
		flow_cache_fini(c);
		return NULL;
	}
	if (!create_table(c, place) || !create_marks(c, s->marks, place->socket)) {
		flow_cache_fini(c);
		return NULL;
	}
	return c;
}

static inline void forget_mark(struct flow_cache *c, uint32_t path)
{
	if (c->mark_of == NULL || c->mark_of[path] == 0)
		return;
	c->path_of[c->mark_of[path] - 1] = 0;
	c->mark_of[path] = 0;
}

/* The least recently used of the next few paths. It never is one that this batch uses: packets point to it. */
static uint32_t find_room(struct flow_cache *c)
{
	uint32_t best = UINT32_MAX, best_age = 0;

	if (c->filled < c->entries)
		return c->filled++;
	for (uint32_t i = 0; i < EVICT_LOOKS; i++) {
		uint32_t age = c->batch - c->used_in[c->hand];
		if (age > best_age) {
			best_age = age;
			best = c->hand;
		}
		c->hand = c->hand + 1 == c->entries ? 0 : c->hand + 1;
	}
	if (best != UINT32_MAX) {
		forget_mark(c, best);
		flow_table_remove(c->table, best);
	}
	return best;
}

static enum flow_cache_outcome remember(struct flow_cache *c, struct batch *b, uint32_t i, const struct flow_key *key)
{
	uint32_t index;

	/* an earlier packet of the batch may have been the first */
	if (flow_table_find(c->table, key, 1, &index) != 0) {
		b->paths[i] = &c->paths[index];
		return FLOW_CACHE_FOLLOWS;
	}
	index = find_room(c);
	if (index == UINT32_MAX)
		return FLOW_CACHE_FULL;
	c->paths[index] = (struct flow_path){.key = *key};
	if (!flow_table_insert(c->table, index)) {
		c->used_in[index] = c->batch; /* stays unused until its turn comes again */
		return FLOW_CACHE_FULL;
	}
	c->used_in[index] = c->batch;
	b->paths[i] = &c->paths[index];
	return FLOW_CACHE_FIRST;
}

static inline bool has_flow(const struct packet *p, const uint8_t *frame)
{
	if (p->version != 4 || p->kind != PACKET_L4)
		return false;
	return p->protocol != IPPROTO_ICMP || frame[p->l4] == ICMP_ECHO || frame[p->l4] == ICMP_ECHOREPLY;
}

static inline bool is_hit(const uint64_t hits[], uint32_t i)
{
	return hits[i / FLOW_TABLE_BULK] >> i % FLOW_TABLE_BULK & 1;
}

static inline void find_paths(struct flow_cache *c, struct batch *b)
{
	struct flow_key keys[BATCH_MAX];
	uint64_t hits[BATCH_MAX / FLOW_TABLE_BULK];
	uint32_t records[BATCH_MAX], at[BATCH_MAX], flows = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		const uint8_t *frame = batch_frame(b, i);
		b->outcome[i] = FLOW_CACHE_NO_FLOW;
		if (has_flow(&b->packets[i], frame)) {
			keys[flows] = flow_id_ipv4(frame, &b->packets[i]);
			at[flows++] = i;
		}
	}
	if (flows == 0)
		return;
	flow_table_find_batch(c->table, keys, flows, hits, records);
	for (uint32_t f = 0; f < flows; f++) {
		if (!is_hit(hits, f))
			continue;
		c->used_in[records[f]] = c->batch;
		b->paths[at[f]] = &c->paths[records[f]];
		b->outcome[at[f]] = FLOW_CACHE_FOLLOWS;
	}
	for (uint32_t f = 0; f < flows; f++)
		if (!is_hit(hits, f))
			b->outcome[at[f]] = (uint8_t)remember(c, b, at[f], &keys[f]);
}

static inline void forget_path(struct flow_cache *c, struct batch *b, uint32_t i)
{
	c->none[i] = (struct flow_path){0};
	b->paths[i] = &c->none[i];
}

/* A mark stays with its flow, so it leads to a path as long as that is the flow's. Other packets are looked up. */
static inline void find_marked_path(struct flow_cache *c, struct batch *b, uint32_t i)
{
	const struct rte_mbuf *m = b->mbufs[i];
	uint32_t mark = (m->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0 ? m->hash.fdir.hi : UINT32_MAX;
	uint32_t path = mark < c->marks ? c->path_of[mark] : 0;

	if (likely(path != 0)) {
		c->used_in[path - 1] = c->batch;
		b->paths[i] = &c->paths[path - 1];
		b->outcome[i] = FLOW_CACHE_FOLLOWS;
		rte_prefetch0(b->paths[i]);
		return;
	}
	const uint8_t *frame = batch_frame(b, i);
	b->outcome[i] = FLOW_CACHE_NO_FLOW;
	if (!has_flow(&b->packets[i], frame))
		return;
	struct flow_key key = flow_id_ipv4(frame, &b->packets[i]);
	b->outcome[i] = (uint8_t)remember(c, b, i, &key);
	if (b->outcome[i] >= FLOW_CACHE_FULL)
		return;
	path = (uint32_t)(b->paths[i] - c->paths);
	c->used_in[path] = c->batch;
	if (mark >= c->marks)
		return;
	c->path_of[mark] = path + 1;
	c->mark_of[path] = mark + 1;
}

static inline void process_marked(struct flow_cache *c, struct batch *b)
{
	c->batch++;
	for (uint32_t i = 0; i < b->count; i++) {
		find_marked_path(c, b, i);
		if (b->outcome[i] >= FLOW_CACHE_FULL)
			forget_path(c, b, i);
	}
	b->flow_cached = true;
	batch_settle(b);
}

STAGE_PROCESS void flow_cache_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void flow_cache_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	struct flow_cache *c = instance;

	if (c->path_of != NULL) {
		process_marked(c, batch);
		return;
	}
	(void)now_ns;
	c->batch++;
	find_paths(c, batch);
	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->outcome[i] >= FLOW_CACHE_FULL)
			forget_path(c, batch, i);
	batch->flow_cached = true;
	batch_settle(batch);
}

const struct stage_ops flow_cache_stage = {
	.name = "flow_cache",
	.outcomes = flow_cache_outcomes,
	.keeps_flows = true,
	.init = flow_cache_init,
	.process = flow_cache_process,
	.fini = flow_cache_fini,
	.hooks = {
		.configure = flow_cache_configure,
		.release = free,
	},
};
