/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Addresses of the traffic. They are by number, so that the same settings give the same addresses; in network byte
 * order.
 */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <arpa/inet.h>

#include "config/config.h"
#include "table/hashing.h"

#define CLIENT_PORT_MIN 1024u
#define CLIENT_PORTS (65536u - CLIENT_PORT_MIN)

/* A host of the prefix for each number: an odd factor makes it a bijection on the host bits. */
static inline uint32_t address_of_client(struct ipv4_prefix clients, uint32_t number)
{
	return htonl(clients.address | ((number * 0x9e3779b1u) & ~ipv4_mask(clients.length)));
}

/* The pair of address and port is unique for as many consecutive numbers as the prefix has hosts times CLIENT_PORTS. */
static inline uint16_t port_of_client(struct ipv4_prefix clients, uint64_t number)
{
	uint32_t host_bits = 32 - clients.length;
	uint64_t host = number & ((UINT64_C(1) << host_bits) - 1), round = number >> host_bits;

	return htons((uint16_t)(CLIENT_PORT_MIN + (mix64(host) + round) % CLIENT_PORTS));
}

/* A unicast address outside the inside prefix. */
static inline uint32_t address_of_server(struct ipv4_prefix inside, uint64_t seed, uint32_t number)
{
	for (uint64_t x = mix64(seed ^ mix64(number));; x = mix64(x)) {
		uint32_t address = (11 + (uint32_t)(x >> 32) % (224 - 11)) << 24 | (uint32_t)(x & 0xffffff);
		if (!ipv4_inside(inside, address) && address >> 24 != 127)
			return htonl(address);
	}
}

#endif
