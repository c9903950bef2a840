/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instance of the NAT. Only the stage's own files include it.
 */
#ifndef NAT_STAGE_H
#define NAT_STAGE_H

#include "nat/nat_packet.h"

#define NAT_OUTCOMES(OUTCOME) \
	OUTCOME(NAT_TRANSLATED_OUT, "translated_out", NALM_KIND_PASS) \
	OUTCOME(NAT_TRANSLATED_IN, "translated_in", NALM_KIND_PASS) \
	OUTCOME(NAT_HAIRPINNED, "hairpinned", NALM_KIND_PASS) \
	OUTCOME(NAT_ICMP_ERROR, "icmp_error", NALM_KIND_PASS) \
	OUTCOME(NAT_NOT_IPV4, "not_ipv4", NALM_KIND_PASS) \
	OUTCOME(NAT_NO_PORT, "no_port", NALM_KIND_LOST) \
	OUTCOME(NAT_TABLE_FULL, "table_full", NALM_KIND_LOST) \
	OUTCOME(NAT_HAIRPIN_ELSEWHERE, "hairpin_elsewhere", NALM_KIND_LOST) \
	OUTCOME(NAT_NO_MAPPING, "no_mapping", NALM_KIND_POLICY) \
	OUTCOME(NAT_MALFORMED, "malformed", NALM_KIND_BAD) \
	OUTCOME(NAT_FRAGMENT, "fragment", NALM_KIND_BAD) \
	OUTCOME(NAT_UNSUPPORTED_PROTOCOL, "unsupported_protocol", NALM_KIND_BAD)

enum nat_outcome { NAT_OUTCOMES(STAGE_OUTCOME_ID) };

struct nat {
	struct nat_settings settings;
	struct nat_prefix inside, pool;
	struct nat_table *table;
	uint32_t index, count; /* this instance's number; number of instances */
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
