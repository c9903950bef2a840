/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include <rte_byteorder.h>
#include <rte_ether.h>

#include "config/ipv6_prefix.h"
#include "flow_rules/openflow_line.h"
#include "flow_rules/openflow_value.h"

static bool parse_mac(const char *text, uint64_t *number)
{
	struct rte_ether_addr address;
	uint64_t bytes = 0;

	if (strlen(text) != RTE_ETHER_ADDR_FMT_SIZE - 1 || rte_ether_unformat_addr(text, &address) != 0)
		return false;
	memcpy((uint8_t *)&bytes + 2, &address, sizeof(address));
	*number = rte_be_to_cpu_64(bytes);
	return true;
}

static bool parse_ipv4(const char *text, uint64_t *number)
{
	struct in_addr address;

	if (inet_pton(AF_INET, text, &address) != 1)
		return false;
	*number = ntohl(address.s_addr);
	return true;
}

/* Behind an address: a prefix length, or a mask as an address. */
static bool parse_ipv4_mask(const char *text, uint64_t *mask)
{
	uint64_t length;

	if (!parse_number(text, 0, 32, &length))
		return parse_ipv4(text, mask);
	*mask = ipv4_mask((uint32_t)length);
	return true;
}

static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return rte_be_to_cpu_64(word);
}

bool openflow_parse_ipv6(const char *text, uint64_t values[2], uint64_t masks[2])
{
	char with_length[IPV6_PREFIX_TEXT + 8];
	struct ipv6_prefix prefix, ones = {.length = 0};

	snprintf(with_length, sizeof(with_length), "%.*s%s", (int)IPV6_PREFIX_TEXT, text,
		 strchr(text, '/') == NULL ? "/128" : "");
	if (!parse_ipv6_prefix(with_length, &prefix))
		return false;
	memset(ones.address, 0xff, sizeof(ones.address));
	ones.length = prefix.length;
	ipv6_prefix_mask(&ones);
	for (uint32_t half = 0; half < 2; half++) {
		values[half] = word_of(prefix.address + half * 8);
		masks[half] = word_of(ones.address + half * 8);
	}
	return true;
}

bool openflow_parse_value(enum openflow_form form, char *text, uint64_t min, uint64_t max, uint64_t *value, uint64_t *mask)
{
	char *slash = mask == NULL ? NULL : strchr(text, '/');

	if (slash != NULL)
		*slash++ = '\0';
	if (mask != NULL)
		*mask = max;
	switch (form) {
	case FORM_MAC:
		return parse_mac(text, value) && (slash == NULL || parse_mac(slash, mask)) &&
		       (mask == NULL || (*value & ~*mask) == 0);
	case FORM_IPV4:
		return parse_ipv4(text, value) && (slash == NULL || parse_ipv4_mask(slash, mask)) &&
		       (mask == NULL || (*value & ~*mask) == 0);
	case FORM_MASKED:
		return parse_number(text, min, max, value) && (slash == NULL || parse_number(slash, min, max, mask)) &&
		       (*value & ~*mask) == 0;
	default:
		return slash == NULL && parse_number(text, min, max, value);
	}
}
