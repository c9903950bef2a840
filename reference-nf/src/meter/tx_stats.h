/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts what the generator has sent. The traffic's lcore writes, telemetry reads.
 */
#ifndef TX_STATS_H
#define TX_STATS_H

#include <stdint.h>

/* From a client, to a client, and packets of no flow. */
enum tx_direction { TX_OUTBOUND, TX_INBOUND, TX_OTHER, TX_DIRECTIONS };

/* Frame sizes with check sequence, in the classes of RFC 2819 and one more. */
#define TX_STATS_SIZES 7u
extern const char *const tx_direction_names[TX_DIRECTIONS], *const tx_stats_sizes[TX_STATS_SIZES];

struct tx_stats {
	uint64_t packets[TX_DIRECTIONS];
	uint64_t bytes[TX_DIRECTIONS]; /* without check sequences */
	uint64_t sizes[TX_DIRECTIONS][TX_STATS_SIZES];
};

static inline uint32_t tx_stats_size(uint32_t frame_bytes)
{
	uint32_t bytes = frame_bytes + 4;

	if (bytes <= 64)
		return 0;
	if (bytes > 1518)
		return TX_STATS_SIZES - 1;
	return 26u - (uint32_t)__builtin_clz(bytes); /* 65..127: 1 */
}

static inline void tx_stats_add(struct tx_stats *o, enum tx_direction direction, uint32_t frame_bytes)
{
	o->packets[direction]++;
	o->bytes[direction] += frame_bytes;
	o->sizes[direction][tx_stats_size(frame_bytes)]++;
}

#endif
