/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappings of one instance of the NAT: endpoint-independent (RFC 4787, REQ-1), found from both sides, with expiry
 * by last use. One thread only. All addresses and ports are in network byte order.
 */
#ifndef NAT_TABLE_H
#define NAT_TABLE_H

#include <netinet/in.h>

#include "nat/nat_settings.h"
#include "stage.h"
#include "table/use_list.h"

enum nat_side { NAT_INSIDE, NAT_OUTSIDE };

struct nat_mapping {
	struct flow_key ends[2]; /* by nat_side; nat_key() */
	struct use_links used;
	uint32_t epoch;	      /* odd: in use; rises when the record is taken and when it is given back */
	uint16_t ip_delta[2]; /* what going to that side adds to the IPv4 checksum (RFC 1624) */
	uint16_t l4_delta[2]; /* and to the transport's */
	uint8_t age;	      /* enum nat_age: the list it stands in */
	uint8_t protocol;     /* enum nat_protocol */
	uint8_t tcp;	      /* enum tcp_track; of several connections the last opened or closed one decides */
	uint8_t reserved;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct nat_mapping) == USE_STRIDE, "one line");

/* Whole to let the few lines that run for every packet be inlined; its fields are nat_table.c's. */
struct nat_table {
	struct flow_table *by[2]; /* nat_side */
	struct nat_mapping *mappings;
	struct use_list aged[NAT_AGES];
	uint64_t timeout_s[NAT_AGES];
	uint64_t now_s; /* set by nat_table_expire() */
	uint32_t *free; /* stack of numbers */
	uint32_t free_count, entries;
	struct nat_ports *ports; /* [protocol][pool address] */
	uint16_t *port_memory;
	uint32_t pool, pool_size; /* first address, in host byte order */
};

enum nat_refusal { NAT_REFUSED_FULL, NAT_REFUSED_NO_PORT };

#define NAT_NONE USE_NONE

/* place: gives this instance's part of the entries and of every pool address's ports. NULL: reported on stderr. */
struct nat_table *nat_table_create(const struct nat_settings *settings, const struct stage_place *place);
void nat_table_destroy(struct nat_table *table);

/* An end of a flow. protocol: IP's number; port: of ICMP the query identifier. */
static inline struct flow_key nat_key(uint8_t protocol, uint32_t address, uint16_t port)
{
	return (struct flow_key){{(uint64_t)protocol << 48 | (uint64_t)port << 32 | address, 0}};
}

static inline uint32_t nat_key_address(const struct flow_key *key)
{
	return (uint32_t)key->words[0];
}

static inline uint16_t nat_key_port(const struct flow_key *key)
{
	return (uint16_t)(key->words[0] >> 32);
}

static inline enum nat_protocol nat_protocol(uint8_t number)
{
	if (number == IPPROTO_TCP)
		return NAT_TCP;
	return number == IPPROTO_UDP ? NAT_UDP : NAT_ICMP;
}

/* The instance, of count, whose part of port_min..port_max has the port; -1: outside the range. Host byte order. */
static inline int32_t nat_port_instance(const struct nat_settings *s, uint16_t port, uint32_t count)
{
	uint32_t range = (uint32_t)s->port_max - s->port_min + 1, offset = (uint32_t)port - s->port_min;

	return port < s->port_min || port > s->port_max ? -1 : (int32_t)(((offset + 1) * count - 1) / range);
}

/* The pool address of an inside host, always the same (RFC 4787, REQ-2: paired). Network byte order. */
uint32_t nat_table_pool_address(const struct nat_table *table, uint32_t inside_address);

/* Finds 1 to FLOW_TABLE_BULK mappings by one of their ends. Where bit i is set, records[i] is keys[i]'s mapping. */
static inline uint64_t nat_table_find(const struct nat_table *t, enum nat_side side, const struct flow_key keys[],
				      uint32_t n, uint32_t records[])
{
	return flow_table_find(t->by[side], keys, n, records);
}

/* NAT_NONE: none. */
static inline uint32_t nat_table_find_one(const struct nat_table *t, enum nat_side side, const struct flow_key *key)
{
	uint32_t record;
	return nat_table_find(t, side, key, 1, &record) != 0 ? record : NAT_NONE;
}

/* Makes a mapping for an inside end that has none. tcp: its state. NAT_NONE: *refusal says why. */
uint32_t nat_table_open(struct nat_table *table, const struct flow_key *inside, uint8_t tcp,
			enum nat_refusal *refusal);

/* An outbound packet has used the mapping. */
static inline void nat_table_refresh(struct nat_table *t, uint32_t record)
{
	struct nat_mapping *m = &t->mappings[record];
	use_list_refresh(&t->aged[m->age], &t->mappings[0].used, record, t->now_s);
}

/* Sets the TCP state. If this changes the idle time, it starts again. */
void nat_table_set_tcp(struct nat_table *table, uint32_t record, uint8_t tcp);
/* Sets the time, which does not go back, and removes mappings whose idle time is over. */
void nat_table_expire(struct nat_table *table, uint64_t now_ns);

#endif
