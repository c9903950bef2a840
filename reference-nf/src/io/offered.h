/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the generator has really sent. The traffic's lcore writes, telemetry reads.
 */
#ifndef OFFERED_H
#define OFFERED_H

#include <stdint.h>

/* By what the far sides are: from a client, to a client, and what belongs to no flow. */
enum offered_direction { OFFERED_OUTBOUND, OFFERED_INBOUND, OFFERED_OTHER, OFFERED_DIRECTIONS };

/* Sizes of frames with their check sequence, as RFC 2819 has them, and one more. */
#define OFFERED_SIZES 7u
extern const char *const offered_directions[OFFERED_DIRECTIONS], *const offered_sizes[OFFERED_SIZES];

struct offered {
	uint64_t packets[OFFERED_DIRECTIONS];
	uint64_t bytes[OFFERED_DIRECTIONS]; /* without check sequences */
	uint64_t sizes[OFFERED_DIRECTIONS][OFFERED_SIZES];
};

static inline uint32_t offered_size(uint32_t frame_bytes)
{
	uint32_t bytes = frame_bytes + 4;

	if (bytes <= 64)
		return 0;
	if (bytes > 1518)
		return OFFERED_SIZES - 1;
	return 26u - (uint32_t)__builtin_clz(bytes); /* 65..127: 1 */
}

static inline void offered_add(struct offered *o, enum offered_direction direction, uint32_t frame_bytes)
{
	o->packets[direction]++;
	o->bytes[direction] += frame_bytes;
	o->sizes[direction][offered_size(frame_bytes)]++;
}

#endif
