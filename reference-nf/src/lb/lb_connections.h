/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The connections of one instance of the load balancer. They are found by the client's packets and by the back end's,
 * and expire by last use. One thread only. All addresses and ports are in network byte order.
 */
#ifndef LB_CONNECTIONS_H
#define LB_CONNECTIONS_H

#include "lb/lb_settings.h"
#include "stage.h"
#include "table/use_list.h"

/* The side whose packets a key finds. */
enum lb_side { LB_CLIENT, LB_BACKEND };

struct lb_connection {
	struct flow_key from[2]; /* by lb_side: flow_id_ipv4() of the packets from that side */
	struct use_links used;
	uint32_t epoch;	     /* odd: in use; rises when the record is taken and when it is given back */
	uint32_t generation; /* of the tables that have confirmed the back end */
	uint16_t ip_delta;   /* what going to the back end adds to the IPv4 checksum (RFC 1624) */
	uint16_t l4_delta;   /* and to the transport's */
	uint8_t age;	     /* enum lb_age: the list it stands in */
	uint8_t protocol;    /* IP's number */
	uint8_t tcp;	     /* enum tcp_track */
	uint8_t reserved;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct lb_connection) == USE_STRIDE, "one line");

/* Whole to let the few lines that run for every packet be inlined; its fields are lb_connections.c's. */
struct lb_connections {
	struct flow_table *by[2]; /* lb_side */
	struct lb_connection *records;
	struct use_list aged[LB_AGES];
	uint64_t timeout_s[LB_AGES];
	uint64_t now_s; /* set by lb_connections_expire() */
	uint32_t *free; /* stack of numbers */
	uint32_t free_count, entries;
};

#define LB_NO_CONNECTION USE_NONE

struct lb_end {
	uint32_t address;
	uint16_t port;
};

/* place: gives this instance's part of the entries. NULL: reported on stderr. */
struct lb_connections *lb_connections_create(const struct lb_settings *settings, const struct stage_place *place);
void lb_connections_destroy(struct lb_connections *connections);

/* The other end's address and port as the sender of a key's packets sees them. */
static inline struct lb_end lb_source(const struct flow_key *key)
{
	return (struct lb_end){(uint32_t)key->words[0], (uint16_t)key->words[1]};
}

static inline struct lb_end lb_destination(const struct flow_key *key)
{
	return (struct lb_end){(uint32_t)(key->words[0] >> 32), (uint16_t)(key->words[1] >> 16)};
}

static inline struct flow_key lb_key(uint8_t protocol, struct lb_end source, struct lb_end destination)
{
	return (struct flow_key){{(uint64_t)destination.address << 32 | source.address,
				  (uint64_t)protocol << 32 | (uint32_t)destination.port << 16 | source.port}};
}

/* LB_NO_CONNECTION: none. */
static inline uint32_t lb_connections_find_one(const struct lb_connections *c, enum lb_side side,
					       const struct flow_key *key)
{
	uint32_t record;
	return flow_table_find(c->by[side], key, 1, &record) != 0 ? record : LB_NO_CONNECTION;
}

enum lb_refusal { LB_REFUSED_FULL, LB_REFUSED_TAKEN };

/* A connection of a client to a back end; tcp: its state. LB_NO_CONNECTION: *refusal says why. Taken: the back end has
 * a connection with the same end of the client, from another service. */
uint32_t lb_connections_open(struct lb_connections *connections, const struct flow_key *client, struct lb_end backend,
			     uint8_t tcp, enum lb_refusal *refusal);
void lb_connections_close(struct lb_connections *connections, uint32_t record);

/* A packet of either side has used the connection. */
static inline void lb_connections_refresh(struct lb_connections *c, uint32_t record)
{
	use_list_refresh(&c->aged[c->records[record].age], &c->records[0].used, record, c->now_s);
}

/* Sets the TCP state and restarts the idle time. */
void lb_connections_set_tcp(struct lb_connections *connections, uint32_t record, uint8_t tcp);
/* Sets the time, which does not go back, and removes connections whose idle time is over. */
void lb_connections_expire(struct lb_connections *connections, uint64_t now_ns);

#endif
