/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Incremental update of Internet checksums, RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). Values are taken as they
 * lie in the packet: the one's complement sum does not care about byte order (RFC 1071, 2 B).
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stdint.h>

/* ~m + m' for one word, unfolded; deltas of several words may be added. */
static inline uint32_t checksum_delta16(uint16_t was, uint16_t is)
{
	return (uint32_t)(uint16_t)~was + is;
}

static inline uint32_t checksum_delta32(uint32_t was, uint32_t is)
{
	return checksum_delta16((uint16_t)was, (uint16_t)is) +
	       checksum_delta16((uint16_t)(was >> 16), (uint16_t)(is >> 16));
}

/* The delta as one word, to be kept: 0 only where the delta is, so that applying it gives the same result. */
static inline uint16_t checksum_fold(uint32_t delta)
{
	delta = (delta & 0xffff) + (delta >> 16);
	return (uint16_t)((delta & 0xffff) + (delta >> 16));
}

/* The folded delta of the change back. 0xffff is one's complement's other zero; plain 0 would need words of ones alone. */
static inline uint16_t checksum_back(uint16_t delta)
{
	return delta == 0xffff ? delta : (uint16_t)~delta;
}

static inline uint16_t checksum_apply(uint16_t check, uint32_t delta)
{
	uint32_t sum = (uint32_t)(uint16_t)~check + delta;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* UDP: 0 means "no checksum" and stays; a sum that becomes 0 is sent as all ones (RFC 768). */
static inline uint16_t checksum_apply_udp(uint16_t check, uint32_t delta)
{
	if (check == 0)
		return 0;
	check = checksum_apply(check, delta);
	return check == 0 ? 0xffff : check;
}

#endif
