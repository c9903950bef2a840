/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "acl/acl_rule.h"
#include "config/config.h"

static bool parse_protocol(const char *text, uint16_t *protocol)
{
	static const struct {
		const char *name;
		uint16_t number;
	} known[] = {{"any", ACL_PROTOCOL_ANY}, {"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP},
		     {"icmp", IPPROTO_ICMP},	{"icmpv6", IPPROTO_ICMPV6}};
	uint32_t number;

	for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].name) == 0) {
			*protocol = known[i].number;
			return true;
		}
	if (!parse_whole(text, 0, 255, &number))
		return false;
	*protocol = (uint16_t)number;
	return true;
}

/* version: 0 for `any`, which matches both. */
static bool parse_ends(const char *text, struct ipv6_prefix *prefix, uint8_t *version)
{
	struct ipv4_prefix v4;

	*prefix = (struct ipv6_prefix){.length = 0};
	*version = 0;
	if (strcmp(text, "any") == 0)
		return true;
	*version = 6;
	if (strchr(text, ':') != NULL)
		return parse_ipv6_prefix(text, prefix);
	*version = 4;
	if (!parse_prefix(text, &v4))
		return false;
	uint32_t address = htonl(v4.address);
	memcpy(prefix->address, &address, sizeof(address));
	prefix->length = (uint8_t)v4.length;
	return true;
}

static bool parse_ports(char *text, struct acl_range *range)
{
	char *dash = strchr(text, '-');
	uint32_t min = 0, max = 65535;

	if (strcmp(text, "any") != 0) {
		if (dash != NULL)
			*dash = '\0';
		if (!parse_whole(text, 0, 65535, &min) ||
		    !parse_whole(dash == NULL ? text : dash + 1, min, 65535, &max))
			return false;
	}
	*range = (struct acl_range){(uint16_t)min, (uint16_t)max};
	return true;
}

static bool any_port(struct acl_range range)
{
	return range.min == 0 && range.max == 65535;
}

/* Splits a line into words. false: another number of words. */
static bool split(char *text, char *words[], uint32_t count)
{
	char *save = NULL;

	for (uint32_t i = 0; i < count; i++) {
		words[i] = strtok_r(i == 0 ? text : NULL, " \t", &save);
		if (words[i] == NULL)
			return false;
	}
	return strtok_r(NULL, " \t", &save) == NULL;
}

const char *acl_parse_rule(char *text, struct acl_rule *rule)
{
	enum { ACTION, PRIORITY, PROTOCOL, SOURCE, SOURCE_PORTS, DESTINATION, DESTINATION_PORTS, WORDS };
	char *words[WORDS];
	uint8_t source, destination;

	if (!split(text, words, WORDS))
		return "expected `permit|deny priority protocol source ports destination ports`";
	rule->permit = strcmp(words[ACTION], "permit") == 0;
	if (!rule->permit && strcmp(words[ACTION], "deny") != 0)
		return "expected permit or deny in the first place";
	if (!parse_whole(words[PRIORITY], 1, ACL_PRIORITY_MAX, &rule->priority))
		return "expected a priority from 1 to 268435455 in the second place";
	if (!parse_protocol(words[PROTOCOL], &rule->protocol))
		return "expected any, tcp, udp, icmp, icmpv6 or a number up to 255 as protocol";
	if (!parse_ends(words[SOURCE], &rule->source, &source) ||
	    !parse_ends(words[DESTINATION], &rule->destination, &destination))
		return "expected any or a prefix like 10.0.0.0/8 or 2001:db8::/32, no bits set past its length, as source and "
		       "destination";
	if (source != 0 && destination != 0 && source != destination)
		return "source and destination are of different IP versions";
	rule->version = source | destination;
	if (!parse_ports(words[SOURCE_PORTS], &rule->source_ports) ||
	    !parse_ports(words[DESTINATION_PORTS], &rule->destination_ports))
		return "expected any, a port or a range of ports like 1024-65535 after source and destination";
	if (rule->protocol != IPPROTO_TCP && rule->protocol != IPPROTO_UDP &&
	    !(any_port(rule->source_ports) && any_port(rule->destination_ports)))
		return "ports other than any need protocol tcp or udp";
	return NULL;
}
