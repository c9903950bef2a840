/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A routing table made from a seed. What it is made of is behaviour, told in docs/behaviour.md: the spec makes the same.
 */
#include <rte_ether.h>

#include "openflow/openflow_generate.h"
#include "table/hashing.h"

#define PREFIXES_MAX 1000000u
#define NEXT_HOPS_MAX 4096u
#define HOP_PORTS 4u
#define ROUTER UINT64_C(0x02000000ff00)	  /* source MAC of what is sent */
#define NEIGHBOURS UINT64_C(0x020000010000) /* destination MAC of next hop 1 is one more */
#define FIRST_BYTE 11u
#define FIRST_BYTES 213u /* 11 to 223 */
#define STEP UINT64_C(2654435761) /* a prime that divides no count of prefixes: different numbers give different ones */

/* Of a thousand prefixes: `below` and more than the entry before have the length. Over half are /24, as in the tables of
 * the Internet's core. */
static const struct {
	uint16_t below;
	uint8_t length;
} shares[] = {{1, 12},	 {4, 14},   {30, 16},  {45, 17},  {75, 18},  {130, 19},
	      {210, 20}, {270, 21}, {360, 22}, {440, 23}, {994, 24}, {1000, 28}};

void openflow_generate_groups(struct config *config, struct openflow_settings *s)
{
	uint32_t n = (uint32_t)config_u64(config, "openflow", "next_hops_generated", 0, 0, NEXT_HOPS_MAX);

	for (uint32_t hop = 1; hop <= n; hop++) {
		struct openflow_group group = {.id = hop};
		group.actions.present = 1u << OPENFLOW_DEC_TTL | 1u << OPENFLOW_SET_ETH_DST | 1u << OPENFLOW_SET_ETH_SRC |
					1u << OPENFLOW_OUTPUT;
		group.actions.values[OPENFLOW_SET_ETH_DST] = NEIGHBOURS + hop;
		group.actions.values[OPENFLOW_SET_ETH_SRC] = ROUTER;
		group.actions.values[OPENFLOW_OUTPUT] = 1 + hop % HOP_PORTS;
		if (!openflow_add_group(s, &group)) {
			config_mistake(config, "openflow", "next_hops_generated", "no memory");
			return;
		}
	}
}

static uint8_t length_of(uint64_t random)
{
	uint32_t i = 0;

	while (random % 1000 >= shares[i].below)
		i++;
	return shares[i].length;
}

/* The nth prefix of this length. */
static uint32_t address_of(uint8_t length, uint64_t n, uint64_t start)
{
	uint64_t count = (uint64_t)FIRST_BYTES << (length - 8);

	return (FIRST_BYTE << 24) + (uint32_t)(((start >> 40) + n * STEP) % count << (32 - length));
}

/* Instructions that lead to each of the next hops. false: no memory. */
static bool add_writes(struct openflow_settings *s, uint32_t hops, uint32_t writes[])
{
	for (uint32_t hop = 0; hop < hops; hop++) {
		struct openflow_instructions write = {.meter = OPENFLOW_NONE, .next = OPENFLOW_NONE};
		write.write.present = 1u << OPENFLOW_GROUP;
		write.write.values[OPENFLOW_GROUP] = hop;
		writes[hop] = openflow_add_instructions(s, &write);
		if (writes[hop] == OPENFLOW_NONE)
			return false;
	}
	return true;
}

static bool add_prefix(struct openflow_settings *s, uint8_t table, uint8_t length, uint32_t address, uint32_t instructions)
{
	const struct openflow_term terms[] = {{RTE_ETHER_TYPE_IPV4, 0xffff, OPENFLOW_ETH_TYPE, 0},
					      {address, ipv4_mask(length), OPENFLOW_IPV4_DST, 0}};
	const struct openflow_entry entry = {
		.instructions = instructions, .priority = length, .table = table, .term_count = 2};

	return openflow_add_entry(s, &entry, terms);
}

void openflow_generate_prefixes(struct config *config, struct openflow_settings *s)
{
	uint32_t n = (uint32_t)config_u64(config, "openflow", "prefixes_generated", 0, 0, PREFIXES_MAX);
	uint64_t start = mix64(config_u64(config, "openflow", "prefixes_seed", 1, 0, UINT64_MAX));
	uint8_t table = (uint8_t)config_u64(config, "openflow", "prefixes_table", 0, 0, OPENFLOW_TABLES - 1);
	uint32_t hops = (uint32_t)config_u64(config, "openflow", "next_hops_generated", 0, 0, NEXT_HOPS_MAX);
	uint64_t of_length[33] = {0};
	uint32_t writes[NEXT_HOPS_MAX];

	if (n != 0 && hops == 0)
		config_mistake(config, "openflow", "prefixes_generated", "needs next_hops_generated");
	if (n == 0 || hops == 0)
		return;
	bool ok = add_writes(s, hops, writes);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint64_t random = mix64(start + i);
		uint8_t length = length_of(random);
		uint32_t address = address_of(length, of_length[length]++, start);
		ok = add_prefix(s, table, length, address, writes[(uint32_t)(random >> 32) % hops]);
	}
	if (!ok)
		config_mistake(config, "openflow", "prefixes_generated", "no memory");
}
