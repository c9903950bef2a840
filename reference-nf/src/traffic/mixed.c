/* SPDX-License-Identifier: BSD-3-Clause */
#include "l2fwd/l2fwd_generate.h"
#include "l2fwd/l2fwd_settings.h"
#include "l3fwd/l3fwd_generate.h"
#include "traffic/made_frame.h"
#include "traffic/mixed.h"

#define FRAME_CHECK_BYTES 4u
#define AT_IPV6 ETHER_BYTES
#define AT_SOURCE6 (AT_IPV6 + 8)
#define AT_DESTINATION6 (AT_IPV6 + 24)
#define AT_UDP6 (AT_IPV6 + IPV6_BYTES)
#define AT_UDP6_CHECK (AT_UDP6 + 6)
#define PORT 9u /* discard (RFC 863) */

void mixed_configure(struct mixed_settings *s, struct config *config)
{
	s->frame_bytes = (uint32_t)config_u64(config, "traffic", "frame_bytes", MIXED_FRAME_MIN + FRAME_CHECK_BYTES,
					      MIXED_FRAME_MIN + FRAME_CHECK_BYTES, MIXED_FRAME_MAX + FRAME_CHECK_BYTES) -
			 FRAME_CHECK_BYTES;
	if (s->frame_bytes % 2 != 0)
		config_mistake(config, "traffic", "frame_bytes", "must be even");
	s->stations = (uint32_t)config_u64(config, "l2fwd", "stations_generated", 0, 0, L2FWD_STATIONS_MAX);
	s->stations_seed = config_u64(config, "l2fwd", "stations_seed", 1, 0, UINT64_MAX);
	s->routes6 = (uint32_t)config_u64(config, "l3fwd", "routes6_generated", 0, 0, L3FWD_ROUTES_MAX);
	s->routes_seed = config_u64(config, "l3fwd", "routes_seed", 1, 0, UINT64_MAX);
}

static void fill_noise(uint8_t *data, uint32_t from, uint32_t bytes)
{
	for (uint32_t at = from; at < bytes; at++)
		data[at] = (uint8_t)mix64(at);
}

/* Without room for UDP: no next header (RFC 8200, 4.7). */
static uint32_t make_ipv6(uint8_t *data, uint32_t bytes)
{
	uint32_t payload = bytes - AT_UDP6;
	bool has_udp = mixed_has_stamp(data, bytes);

	data[AT_IPV6] = 0x60;
	put_be16(data + AT_IPV6 + 4, payload);
	data[AT_IPV6 + 6] = has_udp ? IPPROTO_UDP : IPPROTO_NONE;
	data[AT_IPV6 + 7] = 64;
	if (!has_udp)
		return 0;
	put_be16(data + AT_UDP6, 0);
	put_be16(data + AT_UDP6 + 2, PORT);
	put_be16(data + AT_UDP6 + 4, payload);
	put_be16(data + AT_UDP6_CHECK, 0);
	/* the pseudo-header's protocol and length, then the datagram */
	return (uint32_t)rte_cpu_to_be_16(IPPROTO_UDP) + rte_cpu_to_be_16((uint16_t)payload) +
	       sum_words(data + AT_UDP6, payload - STAMP_BYTES);
}

uint32_t mixed_make_frame(uint8_t *data, uint32_t bytes, enum mixed_kind kind)
{
	static const uint8_t addresses[RTE_ETHER_ADDR_LEN * 2] = {2, 0, 0, 0, 0x20, 1, 2, 0, 0, 0, 0x10, 1};

	memcpy(data, addresses, sizeof(addresses));
	put_be16(data + 12, kind == MIXED_ETHERNET ? MIXED_ETHER_TYPE : RTE_ETHER_TYPE_IPV6);
	if (kind == MIXED_ETHERNET) {
		fill_noise(data, ETHER_BYTES, bytes);
		return 0;
	}
	fill_noise(data, AT_UDP6, bytes);
	return make_ipv6(data, bytes);
}

static void address_ethernet(const struct mixed_settings *s, uint8_t *data, uint32_t flow)
{
	uint32_t number = s->stations == 0 ? flow : flow / MIXED_KINDS % s->stations;
	uint64_t address = l2fwd_generated_address(s->stations_seed, number);

	memcpy(data, &address, RTE_ETHER_ADDR_LEN);
	put_be16(data + 8, flow >> 16); /* of the source: 02:00 and the flow's number */
	put_be16(data + 10, flow & 0xffff);
}

/* 2001:db8::/32, then the flow's number: of the source; of the destination where there are no routes. */
static void address_ipv6(const struct mixed_settings *s, uint8_t *data, uint32_t flow, uint32_t sum)
{
	static const uint8_t documentation[IPV6_ADDRESS_BYTES] = {0x20, 1, 0xd, 0xb8};
	uint64_t random = mix64(flow);
	uint8_t *to = data + AT_DESTINATION6;

	memcpy(data + AT_SOURCE6, documentation, IPV6_ADDRESS_BYTES);
	put_be16(data + AT_SOURCE6 + 12, flow >> 16);
	put_be16(data + AT_SOURCE6 + 14, flow & 0xffff);
	memcpy(to, documentation, IPV6_ADDRESS_BYTES);
	if (s->routes6 != 0) {
		struct ipv6_prefix prefix = l3fwd_generated_prefix6(s->routes_seed, s->routes6, (uint32_t)(random % s->routes6));
		memcpy(to, prefix.address, IPV6_ADDRESS_BYTES);
	}
	memcpy(to + 8, &random, sizeof(random)); /* no generated prefix is longer than 64 bits */
	if (data[AT_IPV6 + 6] != IPPROTO_UDP)
		return;
	put_be16(data + AT_UDP6, 1024 + flow % 64512);
	uint16_t check = fold(sum + sum_words(data + AT_SOURCE6, IPV6_ADDRESS_BYTES * 2) + load16(data + AT_UDP6) +
			      sum_words(data + s->frame_bytes - STAMP_BYTES, STAMP_BYTES));
	store16(data + AT_UDP6_CHECK, check == 0 ? 0xffff : check); /* RFC 8200, 8.1 */
}

void mixed_address(const struct mixed_settings *s, uint8_t *data, enum mixed_kind kind, uint32_t flow, uint32_t sum)
{
	if (kind == MIXED_ETHERNET)
		address_ethernet(s, data, flow);
	else
		address_ipv6(s, data, flow, sum);
}
