/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Incremental updates against sums computed in full.
 */
#include "check.h"
#include "packet/checksum.h"

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state ^ *state >> 13;
}

static uint16_t folded(const uint16_t *words, uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += words[i];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* A sum is right when words and checksum add up to all ones (RFC 1071). */
static void updates_stay_right(void)
{
	uint32_t state = 1;

	for (uint32_t n = 0; n < 200000; n++) {
		uint16_t words[6];
		for (uint32_t i = 0; i < 5; i++)
			words[i] = (uint16_t)next(&state);
		words[5] = (uint16_t)~folded(words, 5);
		uint32_t was = (uint32_t)words[1] << 16 | words[0], is = next(&state);
		uint16_t was_port = words[2], is_port = n % 3 == 0 ? was_port : (uint16_t)next(&state);
		words[0] = (uint16_t)is;
		words[1] = (uint16_t)(is >> 16);
		words[2] = is_port;
		words[5] = checksum_apply(words[5], checksum_delta32(was, is) + checksum_delta16(was_port, is_port));
		CHECK_EQUAL(folded(words, 6), 0xffff);
	}
}

/* The example of RFC 1624, section 4, which equation 2 of RFC 1141 gets wrong. */
static void example_of_the_rfc(void)
{
	CHECK_EQUAL(checksum_apply(0xdd2f, checksum_delta16(0x5555, 0x3285)), 0x0000);
}

static void udp_rules(void)
{
	CHECK_EQUAL(checksum_apply_udp(0, checksum_delta16(1, 2)), 0);
	CHECK_EQUAL(checksum_apply_udp(0xdd2f, checksum_delta16(0x5555, 0x3285)), 0xffff);
}

int main(void)
{
	RUN(updates_stay_right);
	RUN(example_of_the_rfc);
	RUN(udp_rules);
	return 0;
}
