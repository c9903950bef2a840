/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "hashing.h"
#include "nat/nat_ports.h"
#include "nat/nat_table.h"

#define NONE UINT32_MAX

/* 16 bytes: the length that rte_hash compares without a library call. */
struct key {
	uint32_t address;
	uint16_t port;
	uint16_t protocol;
	uint64_t zero;
};
_Static_assert(sizeof(struct key) == 16, "key length");

struct use_list {
	uint32_t oldest, newest;
};

struct nat_table {
	struct rte_hash *by_inside, *by_outside; /* value: the mapping */
	struct nat_mapping *mappings;
	uint32_t *free; /* stack of indexes into mappings */
	uint32_t free_count;
	uint32_t hash_seed;
	struct use_list used[NAT_PROTOCOLS];
	struct nat_ports *ports; /* [protocol][pool address] */
	uint16_t *port_memory;
	struct nat_settings settings;
};

static struct key make_key(enum nat_protocol protocol, struct nat_endpoint e)
{
	return (struct key){.address = e.address, .port = e.port, .protocol = (uint16_t)protocol, .zero = 0};
}

static uint32_t hash_key(const struct key *key, uint32_t seed)
{
	return rte_hash_crc(key, sizeof(*key), seed);
}

static struct rte_hash *create_hash(const char *name, uint32_t entries, uint32_t seed)
{
	struct rte_hash_parameters p = {
		.name = name,
		/* rte_hash may refuse a key before it is full; twice the buckets keep that from happening */
		.entries = entries < 64 ? 128 : entries * 2,
		.key_len = sizeof(struct key),
		.hash_func = rte_hash_crc,
		.hash_func_init_val = seed,
		.socket_id = (int)rte_socket_id(),
	};
	return rte_hash_create(&p);
}

static bool create_ports(struct nat_table *t)
{
	const struct nat_settings *s = &t->settings;
	uint32_t queues = NAT_PROTOCOLS * s->pool_size, range = (uint32_t)s->port_max - s->port_min + 1;

	t->ports = rte_zmalloc("nat_ports", queues * sizeof(*t->ports), 64);
	t->port_memory = rte_malloc("nat_port_rings", (size_t)queues * range * sizeof(uint16_t), 64);
	if (t->ports == NULL || t->port_memory == NULL)
		return false;
	for (uint32_t q = 0; q < queues; q++)
		t->ports[q] = (struct nat_ports){
			.fresh = s->port_min,
			.max = s->port_max,
			.capacity = range,
			.returned = t->port_memory + (size_t)q * range,
		};
	return true;
}

static bool create_mappings(struct nat_table *t)
{
	uint32_t n = t->settings.entries;

	t->mappings = rte_zmalloc("nat_mappings", (size_t)n * sizeof(*t->mappings), 64);
	t->free = rte_malloc("nat_free", n * sizeof(*t->free), 64);
	if (t->mappings == NULL || t->free == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		t->free[i] = n - 1 - i; /* the stack gives 0 first */
	t->free_count = n;
	for (uint32_t p = 0; p < NAT_PROTOCOLS; p++)
		t->used[p] = (struct use_list){NONE, NONE};
	return true;
}

struct nat_table *nat_table_create(const struct nat_settings *settings, uint64_t seed)
{
	struct nat_table *t = rte_zmalloc("nat_table", sizeof(*t), 64);
	if (t == NULL) {
		fprintf(stderr, "nat: no memory for the table\n");
		return NULL;
	}
	t->settings = *settings;
	t->hash_seed = seed == 0 ? 0 : (uint32_t)mix64(seed);
	t->by_inside = create_hash("nat_by_inside", settings->entries, t->hash_seed);
	t->by_outside = create_hash("nat_by_outside", settings->entries, t->hash_seed);
	if (t->by_inside == NULL || t->by_outside == NULL || !create_mappings(t) || !create_ports(t)) {
		fprintf(stderr, "nat: cannot create a table of %u mappings: %s; give EAL more memory (-m) or lower [nat] entries\n",
			settings->entries, rte_strerror(rte_errno));
		nat_table_destroy(t);
		return NULL;
	}
	return t;
}

void nat_table_destroy(struct nat_table *t)
{
	if (t == NULL)
		return;
	rte_hash_free(t->by_inside);
	rte_hash_free(t->by_outside);
	rte_free(t->mappings);
	rte_free(t->free);
	rte_free(t->ports);
	rte_free(t->port_memory);
	rte_free(t);
}

static struct nat_mapping *lookup(const struct rte_hash *hash, const struct key *key, uint32_t seed)
{
	void *mapping;
	return rte_hash_lookup_with_hash_data(hash, key, hash_key(key, seed), &mapping) < 0 ? NULL : mapping;
}

static void list_remove(struct nat_table *t, struct nat_mapping *m)
{
	struct use_list *list = &t->used[m->protocol];
	if (m->older == NONE)
		list->oldest = m->newer;
	else
		t->mappings[m->older].newer = m->newer;
	if (m->newer == NONE)
		list->newest = m->older;
	else
		t->mappings[m->newer].older = m->older;
}

static void list_append(struct nat_table *t, struct nat_mapping *m)
{
	struct use_list *list = &t->used[m->protocol];
	uint32_t index = (uint32_t)(m - t->mappings);
	m->older = list->newest;
	m->newer = NONE;
	if (list->newest == NONE)
		list->oldest = index;
	else
		t->mappings[list->newest].newer = index;
	list->newest = index;
}

static void refresh(struct nat_table *t, struct nat_mapping *m, uint64_t now_ns)
{
	m->last_used_ns = now_ns;
	if (m->newer != NONE) {
		list_remove(t, m);
		list_append(t, m);
	}
}

static uint32_t pool_number(const struct nat_table *t, uint32_t inside_address)
{
	return ntohl(inside_address) % t->settings.pool_size;
}

static struct nat_ports *ports_of(struct nat_table *t, enum nat_protocol protocol, uint32_t number)
{
	return &t->ports[protocol * t->settings.pool_size + number];
}

static bool insert_keys(struct nat_table *t, struct nat_mapping *m)
{
	struct key inside = make_key(m->protocol, m->inside), outside = make_key(m->protocol, m->outside);

	if (rte_hash_add_key_with_hash_data(t->by_inside, &inside, hash_key(&inside, t->hash_seed), m) < 0)
		return false;
	if (rte_hash_add_key_with_hash_data(t->by_outside, &outside, hash_key(&outside, t->hash_seed), m) < 0) {
		rte_hash_del_key_with_hash(t->by_inside, &inside, hash_key(&inside, t->hash_seed));
		return false;
	}
	return true;
}

static struct nat_mapping *create_mapping(struct nat_table *t, enum nat_protocol protocol, struct nat_endpoint inside,
					  uint64_t now_ns, enum nat_refusal *refusal)
{
	uint32_t number = pool_number(t, inside.address);

	*refusal = NAT_REFUSED_FULL;
	if (t->free_count == 0)
		return NULL;
	uint16_t port = nat_ports_take(ports_of(t, protocol, number));
	if (port == 0) {
		*refusal = NAT_REFUSED_NO_PORT;
		return NULL;
	}
	struct nat_mapping *m = &t->mappings[t->free[t->free_count - 1]];
	m->inside = inside;
	m->outside = (struct nat_endpoint){htonl(t->settings.pool.address + number), htons(port)};
	m->protocol = (uint8_t)protocol;
	m->last_used_ns = now_ns;
	if (!insert_keys(t, m)) {
		nat_ports_give(ports_of(t, protocol, number), port);
		return NULL;
	}
	t->free_count--;
	list_append(t, m);
	return m;
}

static void remove_mapping(struct nat_table *t, struct nat_mapping *m)
{
	struct key inside = make_key(m->protocol, m->inside), outside = make_key(m->protocol, m->outside);

	rte_hash_del_key_with_hash(t->by_inside, &inside, hash_key(&inside, t->hash_seed));
	rte_hash_del_key_with_hash(t->by_outside, &outside, hash_key(&outside, t->hash_seed));
	list_remove(t, m);
	nat_ports_give(ports_of(t, m->protocol, pool_number(t, m->inside.address)), ntohs(m->outside.port));
	t->free[t->free_count++] = (uint32_t)(m - t->mappings);
}

const struct nat_mapping *nat_table_outbound(struct nat_table *t, enum nat_protocol protocol,
					     struct nat_endpoint inside, uint64_t now_ns, enum nat_refusal *refusal)
{
	struct key key = make_key(protocol, inside);
	struct nat_mapping *m = lookup(t->by_inside, &key, t->hash_seed);

	if (m == NULL)
		return create_mapping(t, protocol, inside, now_ns, refusal);
	refresh(t, m, now_ns);
	return m;
}

const struct nat_mapping *nat_table_inbound(struct nat_table *t, enum nat_protocol protocol,
					    struct nat_endpoint outside)
{
	struct key key = make_key(protocol, outside);
	return lookup(t->by_outside, &key, t->hash_seed);
}

_Static_assert(NAT_TABLE_BULK <= RTE_HASH_LOOKUP_BULK_MAX, "bulk");

/* The list's neighbours are written when a mapping is refreshed. */
static void prefetch_neighbours(const struct nat_table *t, const struct nat_mapping *m)
{
	if (m->older != NONE)
		rte_prefetch0(&t->mappings[m->older]);
	if (m->newer != NONE)
		rte_prefetch0(&t->mappings[m->newer]);
}

void nat_table_find(const struct nat_table *t, const struct nat_query *queries, uint32_t count, bool by_outside,
		    struct nat_mapping *found[])
{
	struct key keys[NAT_TABLE_BULK];
	const void *key_of[NAT_TABLE_BULK];
	hash_sig_t hash_of[NAT_TABLE_BULK];
	void *data[NAT_TABLE_BULK];
	uint64_t hits = 0;

	for (uint32_t i = 0; i < count; i++) {
		keys[i] = make_key(queries[i].protocol, queries[i].end);
		key_of[i] = &keys[i];
		hash_of[i] = hash_key(&keys[i], t->hash_seed);
	}
	rte_hash_lookup_with_hash_bulk_data(by_outside ? t->by_outside : t->by_inside, key_of, hash_of, count, &hits, data);
	for (uint32_t i = 0; i < count; i++) {
		found[i] = hits >> i & 1 ? data[i] : NULL;
		if (found[i] != NULL)
			rte_prefetch0(found[i]);
	}
	if (by_outside)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (found[i] != NULL)
			prefetch_neighbours(t, found[i]);
}

void nat_table_refresh(struct nat_table *t, struct nat_mapping *m, uint64_t now_ns)
{
	refresh(t, m, now_ns);
}

void nat_table_expire(struct nat_table *t, uint64_t now_ns)
{
	for (uint32_t p = 0; p < NAT_PROTOCOLS; p++) {
		uint64_t timeout = t->settings.timeout_ns[p];
		while (t->used[p].oldest != NONE) {
			struct nat_mapping *m = &t->mappings[t->used[p].oldest];
			if (m->last_used_ns + timeout > now_ns)
				break;
			remove_mapping(t, m);
		}
	}
}

uint32_t nat_table_count(const struct nat_table *t)
{
	return t->settings.entries - t->free_count;
}
