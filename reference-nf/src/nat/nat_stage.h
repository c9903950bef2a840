/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instance of the NAT. Included by the stage's own files only.
 */
#ifndef NAT_STAGE_H
#define NAT_STAGE_H

#include "nat/nat_packet.h"

enum nat_outcome {
	NAT_TRANSLATED_OUT,
	NAT_TRANSLATED_IN,
	NAT_HAIRPINNED,
	NAT_ICMP_ERROR,
	NAT_NOT_IPV4,
	NAT_NO_PORT,
	NAT_TABLE_FULL,
	NAT_HAIRPIN_ELSEWHERE,
	NAT_NO_MAPPING,
	NAT_MALFORMED,
	NAT_FRAGMENT,
	NAT_UNSUPPORTED_PROTOCOL,
};

struct nat {
	struct nat_settings settings;
	struct nat_prefix inside, pool;
	struct nat_table *table;
	uint32_t index, count; /* which instance, of how many */
	uint32_t bulk;	       /* packets looked up at once */
	uint32_t opened;       /* mappings since the last lookup of a bulk: what it did not find may be there now */
	bool prefetch;
	uint8_t note;
};

/* The mapping of a pool address' port. NAT_NONE: none here; *elsewhere: it is another instance's port. */
static inline uint32_t nat_find_outside(const struct nat *nat, const struct flow_key *key, bool *elsewhere)
{
	int32_t owner = nat_port_instance(&nat->settings, ntohs(nat_key_port(key)), nat->count);

	*elsewhere = owner >= 0 && owner != (int32_t)nat->index;
	return owner == (int32_t)nat->index ? nat_table_find_one(nat->table, NAT_OUTSIDE, key) : NAT_NONE;
}

#endif
