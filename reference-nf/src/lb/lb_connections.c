/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>
#include <stdio.h>

#include <rte_malloc.h>

#include "packet/checksum.h"
#include "lb/lb_connections.h"
#include "table/table_memory.h"
#include "packet/tcp_track.h"

static bool create_records(struct lb_connections *c, int socket)
{
	uint32_t n = c->entries;

	c->records = table_memory_take("lb_connections", (size_t)n * sizeof(*c->records), socket);
	c->free = rte_malloc_socket("lb_free", n * sizeof(*c->free), 64, socket);
	if (c->records == NULL || c->free == NULL) {
		fprintf(stderr, "lb: no memory for %u connections; give EAL more (-m) or lower [lb] entries\n", n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		c->free[i] = n - 1 - i; /* the stack gives 0 first */
	c->free_count = n;
	for (uint32_t age = 0; age < LB_AGES; age++)
		c->aged[age] = USE_LIST_EMPTY;
	return true;
}

static bool create_index(struct lb_connections *c, enum lb_side side, const struct stage_place *place)
{
	char name[32];

	snprintf(name, sizeof(name), "lb_%s_%u", side == LB_CLIENT ? "client" : "backend", place->index);
	c->by[side] = flow_table_create(&(struct flow_table_params){
		.name = name,
		.kind = place->hash,
		.entries = c->entries,
		.keys = &c->records[0].from[side],
		.stride = sizeof(*c->records),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	return c->by[side] != NULL;
}

struct lb_connections *lb_connections_create(const struct lb_settings *s, const struct stage_place *place)
{
	uint64_t begin = (uint64_t)s->entries * place->index / place->count;

	if (s->entries < place->count) {
		fprintf(stderr, "lb: %u entries for %u instances; raise [lb] entries or lower [model] workers\n",
			s->entries, place->count);
		return NULL;
	}
	struct lb_connections *c = rte_zmalloc_socket("lb_table", sizeof(*c), 64, place->socket);
	if (c == NULL) {
		fprintf(stderr, "lb: no memory for the table\n");
		return NULL;
	}
	c->entries = (uint32_t)((uint64_t)s->entries * (place->index + 1) / place->count - begin);
	memcpy(c->timeout_s, s->timeout_s, sizeof(c->timeout_s));
	if (create_records(c, place->socket) && create_index(c, LB_CLIENT, place) && create_index(c, LB_BACKEND, place))
		return c;
	lb_connections_destroy(c);
	return NULL;
}

void lb_connections_destroy(struct lb_connections *c)
{
	flow_table_destroy(c->by[LB_CLIENT]);
	flow_table_destroy(c->by[LB_BACKEND]);
	table_memory_give(c->records, (size_t)c->entries * sizeof(*c->records));
	rte_free(c->free);
	rte_free(c);
}

static uint8_t age_of(const struct lb_connection *connection)
{
	if (connection->protocol == IPPROTO_UDP)
		return LB_AGE_UDP;
	if (!tcp_track_transitory(connection->tcp))
		return LB_AGE_TCP;
	return connection->tcp & TCP_TRACK_OPENING ? LB_AGE_TCP_OPENING : LB_AGE_TCP_CLOSING;
}

static void set_deltas(struct lb_connection *connection, struct lb_end backend)
{
	struct lb_end service = lb_destination(&connection->from[LB_CLIENT]);
	uint32_t address = checksum_delta32(service.address, backend.address);

	connection->ip_delta = checksum_fold(address);
	connection->l4_delta = checksum_fold(address + checksum_delta16(service.port, backend.port));
}

static bool insert_keys(struct lb_connections *c, uint32_t record)
{
	if (!flow_table_insert(c->by[LB_CLIENT], record))
		return false;
	if (flow_table_insert(c->by[LB_BACKEND], record))
		return true;
	flow_table_remove(c->by[LB_CLIENT], record);
	return false;
}

uint32_t lb_connections_open(struct lb_connections *c, const struct flow_key *client, struct lb_end backend,
			     uint8_t tcp, enum lb_refusal *refusal)
{
	uint8_t protocol = (uint8_t)(client->words[1] >> 32);
	struct flow_key reply = lb_key(protocol, backend, lb_source(client));

	*refusal = LB_REFUSED_FULL;
	if (c->free_count == 0)
		return LB_NO_CONNECTION;
	if (lb_connections_find_one(c, LB_BACKEND, &reply) != LB_NO_CONNECTION) {
		*refusal = LB_REFUSED_TAKEN;
		return LB_NO_CONNECTION;
	}
	uint32_t record = c->free[c->free_count - 1];
	struct lb_connection *connection = &c->records[record];
	connection->from[LB_CLIENT] = *client;
	connection->from[LB_BACKEND] = reply;
	connection->protocol = protocol;
	connection->tcp = tcp;
	if (!insert_keys(c, record))
		return LB_NO_CONNECTION;
	set_deltas(connection, backend);
	connection->epoch++;
	connection->age = age_of(connection);
	c->free_count--;
	use_list_append(&c->aged[connection->age], &c->records[0].used, record, c->now_s);
	return record;
}

void lb_connections_close(struct lb_connections *c, uint32_t record)
{
	struct lb_connection *connection = &c->records[record];

	flow_table_remove(c->by[LB_CLIENT], record);
	flow_table_remove(c->by[LB_BACKEND], record);
	use_list_remove(&c->aged[connection->age], &c->records[0].used, record);
	connection->epoch++;
	c->free[c->free_count++] = record;
}

void lb_connections_set_tcp(struct lb_connections *c, uint32_t record, uint8_t tcp)
{
	struct lb_connection *connection = &c->records[record];

	connection->tcp = tcp;
	if (age_of(connection) == connection->age) {
		lb_connections_refresh(c, record);
		return;
	}
	use_list_remove(&c->aged[connection->age], &c->records[0].used, record);
	connection->age = age_of(connection);
	use_list_append(&c->aged[connection->age], &c->records[0].used, record, c->now_s);
}

void lb_connections_expire(struct lb_connections *c, uint64_t now_ns)
{
	uint64_t now_s = now_ns / USE_NS_PER_S;

	if (now_s <= c->now_s) /* batches of workers that share the table may come in another order than their times */
		return;
	c->now_s = now_s;
	for (uint32_t age = 0; age < LB_AGES; age++) {
		uint32_t record;
		while ((record = use_list_expired(&c->aged[age], &c->records[0].used, c->timeout_s[age], now_s)) !=
		       USE_NONE)
			lb_connections_close(c, record);
	}
}
