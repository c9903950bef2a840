/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappings of the NAT: endpoint-independent (RFC 4787, REQ-1), found from both sides, oldest first for expiry.
 * One thread only. Addresses and ports are in network byte order throughout.
 */
#ifndef NAT_TABLE_H
#define NAT_TABLE_H

#include <stdint.h>

#include "nat/nat_config.h"

struct nat_table;

struct nat_endpoint {
	uint32_t address;
	uint16_t port; /* of ICMP: the query identifier */
};

struct nat_mapping {
	struct nat_endpoint inside;
	struct nat_endpoint outside;
	uint8_t protocol; /* enum nat_protocol */
	uint32_t older, newer; /* neighbours in the protocol's list, by last use */
	uint64_t last_used_ns;
} __attribute__((aligned(64)));

#define NAT_TABLE_BULK 64u

struct nat_query {
	struct nat_endpoint end;
	enum nat_protocol protocol;
};

enum nat_refusal {
	NAT_REFUSED_FULL = 1,
	NAT_REFUSED_NO_PORT = 2,
};

/* NULL: no memory, said on stderr. seed varies bucket placement only. */
struct nat_table *nat_table_create(const struct nat_settings *settings, uint64_t seed);
void nat_table_destroy(struct nat_table *table);

/* The mapping of an inside endpoint, refreshed; a new one if there is none. NULL: *refusal says why. */
const struct nat_mapping *nat_table_outbound(struct nat_table *table, enum nat_protocol protocol,
					     struct nat_endpoint inside, uint64_t now_ns, enum nat_refusal *refusal);
/* The mapping that owns an outside endpoint, or NULL. Not refreshed (RFC 4787, REQ-6). */
const struct nat_mapping *nat_table_inbound(struct nat_table *table, enum nat_protocol protocol,
					    struct nat_endpoint outside);
/* Finds 1 to NAT_TABLE_BULK mappings by one of their ends, their cache misses overlapping. found[i] is NULL where there
 * is none yet; what is found stays valid until nat_table_expire(). */
void nat_table_find(const struct nat_table *table, const struct nat_query *queries, uint32_t count, bool by_outside,
		    struct nat_mapping *found[]);
/* An outbound packet has used the mapping. */
void nat_table_refresh(struct nat_table *table, struct nat_mapping *mapping, uint64_t now_ns);
/* Removes mappings that were idle for their protocol's timeout. */
void nat_table_expire(struct nat_table *table, uint64_t now_ns);
uint32_t nat_table_count(const struct nat_table *table);

#endif
