/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Incremental update of Internet checksums, RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). Values are in packet byte
 * order: the one's complement sum does not depend on byte order (RFC 1071, 2 B).
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

/* Folds the delta to one word, for storage. The result is 0 only if the delta is, so that both have the same effect. */
static inline uint16_t checksum_fold(uint32_t delta)
{
	delta = (delta & 0xffff) + (delta >> 16);
	return (uint16_t)((delta & 0xffff) + (delta >> 16));
}

/* The folded delta of the reverse change. 0xffff is one's complement's other zero; 0 would need words of all ones. */
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

/* The same for a folded delta, in half of the instructions. */
static inline uint16_t checksum_apply_folded(uint16_t check, uint16_t delta)
{
	uint32_t sum = (uint32_t)(uint16_t)~check + delta;
	return (uint16_t)~(sum + (sum >> 16));
}

/* UDP: 0 means "no checksum" and stays 0; a sum that becomes 0 is sent as all ones (RFC 768). */
static inline uint16_t checksum_apply_udp(uint16_t check, uint32_t delta)
{
	if (check == 0)
		return 0;
	check = checksum_apply(check, delta);
	return check == 0 ? 0xffff : check;
}

static inline uint16_t checksum_apply_udp_folded(uint16_t check, uint16_t delta)
{
	if (check == 0)
		return 0;
	check = checksum_apply_folded(check, delta);
	return check == 0 ? 0xffff : check;
}

#endif
