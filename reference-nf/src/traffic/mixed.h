/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profile mix: a third of the packets is forwarded by Ethernet address, a third by IPv4 and a third by IPv6 route (Geissler
 * et al., 4.3.2). All have the same size. A flow has one of the kinds, by its number.
 */
#ifndef MIXED_H
#define MIXED_H

#include "config/config.h"
#include "meter/stamp.h"
#include "packet/packet.h"

enum mixed_kind { MIXED_ETHERNET, MIXED_IPV4, MIXED_IPV6, MIXED_KINDS };

#define MIXED_ETHER_TYPE 0x88b5u /* for local experiments (IEEE 802, 9.2.3) */
#define MIXED_FRAME_MIN 60u	 /* without check sequence */
#define MIXED_FRAME_MAX 1514u

struct mixed_settings {
	uint32_t frame_bytes;	   /* without check sequence */
	uint32_t stations, routes6; /* generated ones, which the flows go to; 0: addresses without one */
	uint64_t stations_seed, routes_seed;
};

/* Reads frame_bytes of [traffic], and of [l2fwd] and [l3fwd] what the flows go to. */
void mixed_configure(struct mixed_settings *settings, struct config *config);

/* The frame of a kind but IPv4: complete except for addresses, stamp and checksum. Returns the sum over what stays. */
uint32_t mixed_make_frame(uint8_t *data, uint32_t bytes, enum mixed_kind kind);
/* Completes it for a flow. The stamp, if there is one, is written. */
void mixed_address(const struct mixed_settings *settings, uint8_t *data, enum mixed_kind kind, uint32_t flow, uint32_t sum);

/* The flow that sends in place of the drawn one: of the kind whose turn it is. */
static inline uint32_t mixed_flow(uint32_t drawn, uint32_t flows, enum mixed_kind kind)
{
	uint32_t flow = drawn - drawn % MIXED_KINDS + kind;
	return flow < flows ? flow : flow - MIXED_KINDS;
}

/* A frame of IPv6 has room for UDP and a stamp, or for neither. */
static inline int mixed_has_stamp(const uint8_t *data, uint32_t bytes)
{
	return load_be16(data + 12) != RTE_ETHER_TYPE_IPV6 || bytes >= ETHER_BYTES + IPV6_BYTES + UDP_BYTES + STAMP_BYTES;
}

#endif
