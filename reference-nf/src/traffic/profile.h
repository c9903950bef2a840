/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traffic profiles. See docs/traffic.md.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

enum traffic_profile {
	PROFILE_CAPTURE,
	PROFILE_HTTP,
	PROFILE_64,
	PROFILE_128,
	PROFILE_256,
	PROFILE_512,
	PROFILE_1024,
	PROFILE_1500,
	PROFILE_1518,
	PROFILE_IMIX,
	PROFILE_UPF,
	PROFILE_MIX,
};
extern const char *const profile_names[]; /* ends with NULL */

#define PROFILE_MAX_PARTS 2u
#define PROFILE_MAX_SIZES 3u

/* Whether frames are replayed, each part from a capture of its own, instead of generated. */
static inline bool profile_replays(enum traffic_profile profile)
{
	return profile == PROFILE_CAPTURE || profile == PROFILE_HTTP;
}

/* Subscribers of a user plane send and receive. */
static inline bool profile_serves(enum traffic_profile profile)
{
	return profile == PROFILE_UPF;
}

struct profile_part {
	const char *key; /* of [traffic]: names its capture */
	uint32_t percent;
	bool (*wants)(const uint8_t *frame, const struct packet *packet);
};
/* The parts of a profile that replays. Returns their number. */
uint32_t profile_parts(enum traffic_profile profile, const struct profile_part **parts);

struct profile_mix {
	uint32_t frame_bytes[PROFILE_MAX_SIZES]; /* without the frame check sequence */
	uint32_t sizes;
	const uint8_t *order; /* sizes in sending order, repeated */
	uint32_t order_count;
};
/* The sizes of a profile that generates frames. */
const struct profile_mix *profile_mix(enum traffic_profile profile);

#endif
