/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes made from a seed. docs/behaviour.md specifies them, because the executable spec makes the same ones.
 */
#include <string.h>

#include "table/hashing.h"
#include "l3fwd/l3fwd_generate.h"

#define ROUTES_PER_ALLOCATION 8u

/* Prefix lengths as in a full BGP table, slightly flattened. Of 64 routes, those below `below`, and not below the
 * previous entry's, have the length. */
struct share {
	uint8_t below, length;
};
static const struct share shares[] = {{1, 8},	{2, 11},  {4, 14},  {10, 16}, {15, 19},
				      {21, 20}, {32, 22}, {62, 24}, {64, 28}};
static const struct share shares6[] = {{2, 29},	 {10, 32}, {14, 36}, {20, 40}, {22, 42},
				       {28, 44}, {31, 46}, {33, 47}, {63, 48}, {64, 64}};

static uint8_t length_of(const struct share *share, uint64_t random)
{
	while (random % 64 >= share->below)
		share++;
	return share->length;
}

/* Routes are in 11.0.0.0 .. 223.255.255.255, so that none covers the file's routes to private addresses below 11. */
static bool generate(struct l3fwd_settings *s, uint32_t n, uint64_t seed, uint32_t hops)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < n; i++) {
		uint64_t random = mix64(mix64(seed) + i);
		uint32_t length = length_of(shares, random >> 8);
		uint32_t first = 11 + (uint32_t)(random >> 32) % (224 - 11);
		struct ipv4_prefix prefix = {(first << 24 | (uint32_t)random >> 8) & ipv4_mask(length), length};
		ok = l3fwd_add_route(s, prefix, (uint32_t)(random >> 48) % hops);
	}
	return ok;
}

/* The first 32 bits of an allocation, in one of five /12 from which registries allocate. Documentation addresses
 * (2001:db8::/32) and others of the file are in none. */
static uint32_t allocation(uint64_t random)
{
	static const uint16_t blocks[] = {0x240, 0x260, 0x280, 0x2a0, 0x2c0};

	return (uint32_t)blocks[random % 5] << 20 | (uint32_t)(random >> 8 & 0xfffff);
}

/* Routes of one network are neighbours: several are in one allocation. */
static struct ipv6_prefix prefix6(uint64_t random, uint32_t n, uint64_t start)
{
	uint32_t high = allocation(mix64(~start + (random >> 32) % (n / ROUTES_PER_ALLOCATION + 1)));
	uint64_t bits = __builtin_bswap64((uint64_t)high << 32 | (uint32_t)random);
	struct ipv6_prefix prefix = {.length = length_of(shares6, random >> 58)};

	memcpy(prefix.address, &bits, sizeof(bits));
	ipv6_prefix_mask(&prefix);
	return prefix;
}

struct ipv6_prefix l3fwd_generated_prefix6(uint64_t seed, uint32_t n, uint32_t i)
{
	uint64_t start = mix64(seed);

	return prefix6(mix64(start - 1 - i), n, start);
}

static bool generate6(struct l3fwd_settings *s, uint32_t n, uint64_t seed, uint32_t hops)
{
	uint64_t start = mix64(seed);
	bool ok = true;

	for (uint32_t i = 0; ok && i < n; i++) {
		uint64_t random = mix64(start - 1 - i);
		struct ipv6_prefix prefix = prefix6(random, n, start);
		ok = l3fwd_add_route6(s, &prefix, (uint32_t)(random >> 48) % hops);
	}
	return ok;
}

void l3fwd_generate_routes(struct config *config, struct l3fwd_settings *s)
{
	uint32_t n = (uint32_t)config_u64(config, "l3fwd", "routes_generated", 0, 0, L3FWD_ROUTES_MAX);
	uint32_t n6 = (uint32_t)config_u64(config, "l3fwd", "routes6_generated", 0, 0, L3FWD_ROUTES_MAX);
	uint64_t seed = config_u64(config, "l3fwd", "routes_seed", 1, 0, UINT64_MAX);
	const char *key = n != 0 ? "routes_generated" : "routes6_generated";
	uint32_t hops = 0;

	while (hops < L3FWD_NEXT_HOPS && s->known[hops])
		hops++;
	if (n + n6 != 0 && hops == 0)
		config_mistake(config, "l3fwd", key, "needs next_hop 0 in the routes file");
	else if (!generate(s, n, seed, hops) || !generate6(s, n6, seed, hops))
		config_mistake(config, "l3fwd", key, "no memory");
}
