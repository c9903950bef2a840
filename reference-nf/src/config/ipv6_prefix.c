/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/ipv6_prefix.h"

void ipv6_prefix_mask(struct ipv6_prefix *prefix)
{
	uint32_t whole = prefix->length / 8;

	if (whole == IPV6_ADDRESS_BYTES)
		return;
	prefix->address[whole] &= (uint8_t)(0xff00u >> prefix->length % 8);
	memset(prefix->address + whole + 1, 0, IPV6_ADDRESS_BYTES - whole - 1);
}

bool parse_ipv6_prefix(const char *text, struct ipv6_prefix *prefix)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	char *end;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(address) || slash[1] < '0' || slash[1] > '9')
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	unsigned long length = strtoul(slash + 1, &end, 10);
	if (inet_pton(AF_INET6, address, prefix->address) != 1 || *end != '\0' || length > 128)
		return false;
	prefix->length = (uint8_t)length;
	struct ipv6_prefix masked = *prefix;
	ipv6_prefix_mask(&masked);
	return memcmp(&masked, prefix, sizeof(masked)) == 0;
}
