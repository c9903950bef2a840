/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rewrites a forwarded frame: lifetime, header checksum, Ethernet addresses.
 */
#ifndef L3FWD_REWRITE_H
#define L3FWD_REWRITE_H

#include <immintrin.h>

#include "l3fwd/l3fwd_table.h"
#include "packet/packet.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "decrement_ttl() adds to words as they lie in the frame");

/* TTL, protocol and header checksum form one word of 32 bits. TTL decreases by one, so RFC 1624's equation 3, ~(~HC +
 * ~m + m'), becomes HC + 1 in the frame's own byte order (RFC 1071, 2 B), and one more where the sum overflows. TTL
 * must not be 0. */
static inline void decrement_ttl(uint8_t *ttl)
{
	uint32_t word;

	memcpy(&word, ttl, sizeof(word));
	word += 0xffffu + ((uint32_t)(word >= 0xfffe0000u) << 16);
	memcpy(ttl, &word, sizeof(word));
}

/* One load and one store of 16 bytes; the last four are the frame's own, which every forwarded frame has. */
static inline void write_addresses(uint8_t *frame, const struct l3fwd_next_hop *hop)
{
	__m128i was = _mm_loadu_si128((const __m128i *)(const void *)frame);
	__m128i is = _mm_load_si128((const __m128i *)(const void *)hop);

	_mm_storeu_si128((__m128i *)(void *)frame, _mm_blend_epi16(was, is, 0x3f));
}

#endif
