/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checksums of frames that are made: sums over what stays, kept, to which each packet adds its own.
 */
#ifndef MADE_FRAME_H
#define MADE_FRAME_H

#include <rte_byteorder.h>

#include "packet/packet.h"

/* Words as they lie in memory: the sum does not care about byte order (RFC 1071, 2 B). bytes is even. */
static inline uint32_t sum_words(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < bytes; i += 2)
		sum += load16(at + i);
	return sum;
}

static inline uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static inline void put_be16(uint8_t *at, uint32_t value)
{
	store16(at, rte_cpu_to_be_16((uint16_t)value));
}

#endif
