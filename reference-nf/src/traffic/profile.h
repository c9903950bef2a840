/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traffic profiles: what is sent. docs/traffic.md.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

enum traffic_profile { PROFILE_CAPTURE, PROFILE_HTTP, PROFILE_64, PROFILE_256, PROFILE_IMIX, PROFILE_1500 };
extern const char *const profile_names[]; /* ends with NULL */

#define PROFILE_MAX_PARTS 2u
#define PROFILE_MAX_SIZES 3u

/* Frames are replayed from captures, each part from one of its own; else they are made. */
static inline bool profile_replays(enum traffic_profile profile)
{
	return profile == PROFILE_CAPTURE || profile == PROFILE_HTTP;
}

struct profile_part {
	const char *key; /* of [traffic]: its capture */
	uint32_t percent;
	bool (*wants)(const uint8_t *frame, const struct packet *packet);
};
/* Of a profile that replays. Returns how many. */
uint32_t profile_parts(enum traffic_profile profile, const struct profile_part **parts);

struct profile_mix {
	uint32_t frame_bytes[PROFILE_MAX_SIZES]; /* without the frame check sequence */
	uint32_t sizes;
	const uint8_t *order; /* sizes in the order they are sent in, again and again */
	uint32_t order_count;
};
/* Of a profile that makes its frames. */
const struct profile_mix *profile_mix(enum traffic_profile profile);

#endif
