/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules made from a seed. docs/behaviour.md specifies them, because the executable spec makes the same ones.
 */
#include <netinet/in.h>
#include <string.h>

#include "acl/acl_generate.h"
#include "table/hashing.h"

#define WELL_KNOWN 1024u
#define SPAN 1024u /* ports of a range */

/* Prefix lengths, each for a sixteenth of the rules; those of IPv6 are 16 longer. 0: any address. */
static const uint8_t source_lengths[16] = {0, 0, 0, 0, 8, 12, 16, 16, 20, 22, 24, 24, 24, 28, 32, 32};
static const uint8_t destination_lengths[16] = {8, 12, 16, 16, 16, 20, 20, 22, 24, 24, 24, 24, 28, 28, 32, 32};

/* Like l3fwd's routes, none contains private or documentation addresses. */
static struct ipv6_prefix make_prefix(uint8_t version, uint8_t length, uint64_t random)
{
	struct ipv6_prefix prefix = {.length = length};
	uint64_t bits = (11 + (random >> 32) % (224 - 11)) << 56 | (random & 0xffffff) << 32;

	if (version == 6 && length != 0) {
		prefix.length = (uint8_t)(length + 16);
		bits = 0x2a00ull << 48 | (random & 0xffffffffffff);
	}
	bits = __builtin_bswap64(bits);
	memcpy(prefix.address, &bits, sizeof(bits));
	ipv6_prefix_mask(&prefix);
	return prefix;
}

static uint16_t make_protocol(uint64_t random)
{
	static const uint16_t protocols[4] = {ACL_PROTOCOL_ANY, IPPROTO_UDP, IPPROTO_TCP, IPPROTO_TCP};
	return protocols[random % 4];
}

/* Of the rules for TCP and UDP, half name one port, an eighth a range, the rest none. */
static struct acl_range make_ports(uint64_t random)
{
	uint16_t port = (uint16_t)(random >> 3);

	if (random % 8 < 3)
		return (struct acl_range){0, 65535};
	if (random % 8 < 7)
		return (struct acl_range){port, port};
	return (struct acl_range){port, port > 65535 - SPAN ? 65535 : (uint16_t)(port + SPAN)};
}

static struct acl_rule make_rule(uint64_t start, uint32_t i)
{
	uint64_t a = mix64(start + 4 * (uint64_t)i), b = mix64(start + 4 * (uint64_t)i + 1);
	uint64_t c = mix64(start + 4 * (uint64_t)i + 2), d = mix64(start + 4 * (uint64_t)i + 3);
	struct acl_rule rule = {
		.permit = a % 4 != 0,
		.version = (a >> 2) % 4 == 0 ? 6 : 4,
		.protocol = make_protocol(a >> 4),
		.source_ports = {0, 65535},
		.destination_ports = {0, 65535},
	};

	rule.source = make_prefix(rule.version, source_lengths[(a >> 6) % 16], b);
	rule.destination = make_prefix(rule.version, destination_lengths[(a >> 10) % 16], c);
	if (rule.protocol != ACL_PROTOCOL_ANY) {
		rule.destination_ports = make_ports(d);
		if ((a >> 14) % 4 == 0)
			rule.source_ports.min = WELL_KNOWN;
	}
	return rule;
}

void acl_generate_rules(struct config *config, struct acl_settings *s)
{
	uint32_t n = (uint32_t)config_u64(config, "acl", "rules_generated", 0, 0, ACL_RULES_MAX);
	uint64_t start = mix64(config_u64(config, "acl", "rules_seed", 1, 0, UINT64_MAX));

	for (uint32_t i = 0; i < n; i++) {
		struct acl_rule rule = make_rule(start, i);
		if (!acl_add_rule(s, &rule)) {
			config_mistake(config, "acl", "rules_generated", "no memory");
			return;
		}
	}
	s->generated = n;
}
