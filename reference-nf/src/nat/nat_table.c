/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>

#include <rte_malloc.h>

#include "packet/checksum.h"
#include "nat/nat_ports.h"
#include "nat/nat_table.h"
#include "table/table_memory.h"
#include "packet/tcp_track.h"

/* Where instance index's part begins when count instances share items evenly. */
static uint32_t part(uint32_t whole, uint32_t index, uint32_t count)
{
	return (uint32_t)((uint64_t)whole * index / count);
}

static bool create_ports(struct nat_table *t, const struct nat_settings *s, const struct stage_place *place)
{
	uint32_t range = (uint32_t)s->port_max - s->port_min + 1, queues = NAT_PROTOCOLS * s->pool_size;
	uint32_t first = part(range, place->index, place->count);
	uint32_t share = part(range, place->index + 1, place->count) - first;

	t->ports = rte_zmalloc_socket("nat_ports", queues * sizeof(*t->ports), 64, place->socket);
	t->port_memory = rte_malloc_socket("nat_port_rings", (size_t)queues * share * sizeof(*t->port_memory), 64,
					   place->socket);
	if (t->ports == NULL || t->port_memory == NULL)
		return false;
	for (uint32_t q = 0; q < queues; q++)
		t->ports[q] = (struct nat_ports){
			.fresh = s->port_min + first,
			.max = s->port_min + first + share - 1,
			.capacity = share,
			.returned = t->port_memory + (size_t)q * share,
		};
	return true;
}

static bool create_mappings(struct nat_table *t, int socket)
{
	uint32_t n = t->entries;

	t->mappings = table_memory_take("nat_mappings", (size_t)n * sizeof(*t->mappings), socket);
	t->free = rte_malloc_socket("nat_free", n * sizeof(*t->free), 64, socket);
	if (t->mappings == NULL || t->free == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		t->free[i] = n - 1 - i; /* the stack gives 0 first */
	t->free_count = n;
	for (uint32_t age = 0; age < NAT_AGES; age++)
		t->aged[age] = USE_LIST_EMPTY;
	return true;
}

static bool create_index(struct nat_table *t, enum nat_side side, const struct stage_place *place)
{
	char name[32];

	snprintf(name, sizeof(name), "nat_%s_%u", side == NAT_INSIDE ? "inside" : "outside", place->index);
	t->by[side] = flow_table_create(&(struct flow_table_params){
		.name = name,
		.kind = place->hash,
		.entries = t->entries,
		.keys = &t->mappings[0].ends[side],
		.stride = sizeof(*t->mappings),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	return t->by[side] != NULL;
}

/* Refuses a division that leaves an instance without ports or entries. */
static bool shared_out(const struct nat_settings *s, uint32_t count)
{
	uint32_t ports = (uint32_t)s->port_max - s->port_min + 1;

	if (ports >= count && s->entries >= count)
		return true;
	fprintf(stderr,
		"nat: %u ports and %u entries for %u instances; widen [nat] port_min..port_max, raise entries or "
		"lower [model] workers\n",
		ports, s->entries, count);
	return false;
}

struct nat_table *nat_table_create(const struct nat_settings *s, const struct stage_place *place)
{
	if (!shared_out(s, place->count))
		return NULL;
	struct nat_table *t = rte_zmalloc_socket("nat_table", sizeof(*t), 64, place->socket);
	if (t == NULL) {
		fprintf(stderr, "nat: no memory for the table\n");
		return NULL;
	}
	t->entries = part(s->entries, place->index + 1, place->count) - part(s->entries, place->index, place->count);
	t->pool = s->pool.address;
	t->pool_size = s->pool_size;
	memcpy(t->timeout_s, s->timeout_s, sizeof(t->timeout_s));
	if (!create_mappings(t, place->socket) || !create_ports(t, s, place)) {
		fprintf(stderr, "nat: no memory for %u mappings; give EAL more (-m) or lower [nat] entries\n",
			t->entries);
		nat_table_destroy(t);
		return NULL;
	}
	if (!create_index(t, NAT_INSIDE, place) || !create_index(t, NAT_OUTSIDE, place)) {
		nat_table_destroy(t);
		return NULL;
	}
	return t;
}

void nat_table_destroy(struct nat_table *t)
{
	flow_table_destroy(t->by[NAT_INSIDE]);
	flow_table_destroy(t->by[NAT_OUTSIDE]);
	table_memory_give(t->mappings, (size_t)t->entries * sizeof(*t->mappings));
	rte_free(t->free);
	rte_free(t->ports);
	rte_free(t->port_memory);
	rte_free(t);
}

static uint32_t pool_number(const struct nat_table *t, uint32_t inside_address)
{
	return ntohl(inside_address) % t->pool_size;
}

uint32_t nat_table_pool_address(const struct nat_table *t, uint32_t inside_address)
{
	return htonl(t->pool + pool_number(t, inside_address));
}

static struct nat_ports *ports_of(struct nat_table *t, const struct nat_mapping *m)
{
	uint32_t number = pool_number(t, nat_key_address(&m->ends[NAT_INSIDE]));
	return &t->ports[m->protocol * t->pool_size + number];
}

static uint8_t age_of(const struct nat_mapping *m)
{
	if (m->protocol == NAT_TCP)
		return tcp_track_transitory(m->tcp) ? NAT_AGE_TCP_TRANSITORY : NAT_AGE_TCP;
	return m->protocol == NAT_UDP ? NAT_AGE_UDP : NAT_AGE_ICMP;
}

/* Checksum deltas of the change from one end to the other. ICMP has no pseudo-header: its checksum covers only the
 * port. */
static void set_deltas(struct nat_mapping *m, enum nat_side to)
{
	const struct flow_key *was = &m->ends[!to], *is = &m->ends[to];
	uint32_t address = checksum_delta32(nat_key_address(was), nat_key_address(is));
	uint32_t port = checksum_delta16(nat_key_port(was), nat_key_port(is));

	m->ip_delta[to] = checksum_fold(address);
	m->l4_delta[to] = checksum_fold(m->protocol == NAT_ICMP ? port : address + port);
}

static bool insert_ends(struct nat_table *t, uint32_t record)
{
	if (!flow_table_insert(t->by[NAT_INSIDE], record))
		return false;
	if (flow_table_insert(t->by[NAT_OUTSIDE], record))
		return true;
	flow_table_remove(t->by[NAT_INSIDE], record);
	return false;
}

uint32_t nat_table_open(struct nat_table *t, const struct flow_key *inside, uint8_t tcp,
			enum nat_refusal *refusal)
{
	uint8_t number = (uint8_t)(inside->words[0] >> 48);

	*refusal = NAT_REFUSED_FULL;
	if (t->free_count == 0)
		return NAT_NONE;
	uint32_t record = t->free[t->free_count - 1];
	struct nat_mapping *m = &t->mappings[record];
	m->ends[NAT_INSIDE] = *inside;
	m->protocol = (uint8_t)nat_protocol(number);
	m->tcp = tcp;
	uint16_t port = nat_ports_take(ports_of(t, m));
	if (port == 0) {
		*refusal = NAT_REFUSED_NO_PORT;
		return NAT_NONE;
	}
	m->ends[NAT_OUTSIDE] = nat_key(number, nat_table_pool_address(t, nat_key_address(inside)), htons(port));
	if (!insert_ends(t, record)) {
		nat_ports_give(ports_of(t, m), port);
		return NAT_NONE;
	}
	set_deltas(m, NAT_INSIDE);
	set_deltas(m, NAT_OUTSIDE);
	m->epoch++;
	m->age = age_of(m);
	t->free_count--;
	use_list_append(&t->aged[m->age], &t->mappings[0].used, record, t->now_s);
	return record;
}

static void remove_mapping(struct nat_table *t, uint32_t record)
{
	struct nat_mapping *m = &t->mappings[record];

	flow_table_remove(t->by[NAT_INSIDE], record);
	flow_table_remove(t->by[NAT_OUTSIDE], record);
	use_list_remove(&t->aged[m->age], &t->mappings[0].used, record);
	nat_ports_give(ports_of(t, m), ntohs(nat_key_port(&m->ends[NAT_OUTSIDE])));
	m->epoch++;
	t->free[t->free_count++] = record;
}

void nat_table_set_tcp(struct nat_table *t, uint32_t record, uint8_t tcp)
{
	struct nat_mapping *m = &t->mappings[record];

	m->tcp = tcp;
	if (age_of(m) == m->age)
		return;
	use_list_remove(&t->aged[m->age], &t->mappings[0].used, record);
	m->age = age_of(m);
	use_list_append(&t->aged[m->age], &t->mappings[0].used, record, t->now_s);
}

void nat_table_expire(struct nat_table *t, uint64_t now_ns)
{
	uint64_t now_s = now_ns / USE_NS_PER_S;

	if (now_s <= t->now_s) /* batches of workers that share the table may come in another order than their times */
		return;
	t->now_s = now_s;
	for (uint32_t age = 0; age < NAT_AGES; age++) {
		uint32_t record;
		while ((record = use_list_expired(&t->aged[age], &t->mappings[0].used, t->timeout_s[age], now_s)) !=
		       USE_NONE)
			remove_mapping(t, record);
	}
}
