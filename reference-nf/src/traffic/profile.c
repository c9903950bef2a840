/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/profile.h"

const char *const profile_names[] = {"capture", "http", "64",   "128", "256", "512", "1024",
				     "1500",    "1518", "imix", "upf", "mix", NULL};

static bool any(const uint8_t *frame, const struct packet *p)
{
	(void)frame, (void)p;
	return true;
}

static bool is_http(const uint8_t *frame, const struct packet *p)
{
	if (p->kind != PACKET_L4 || p->version != 4 || p->protocol != IPPROTO_TCP)
		return false;
	uint32_t source = load_be16(frame + p->l4), destination = load_be16(frame + p->l4 + 2);
	return source == 80 || source == 8080 || destination == 80 || destination == 8080;
}

static bool is_udp(const uint8_t *frame, const struct packet *p)
{
	(void)frame;
	return p->kind == PACKET_L4 && p->version == 4 && p->protocol == IPPROTO_UDP;
}

uint32_t profile_parts(enum traffic_profile profile, const struct profile_part **parts)
{
	static const struct profile_part capture[] = {{"capture", 100, any}};
	static const struct profile_part http[] = {{"http_capture", 80, is_http}, {"udp_capture", 20, is_udp}};

	*parts = profile == PROFILE_HTTP ? http : capture;
	return profile == PROFILE_HTTP ? 2 : 1;
}

/* IMIX: IP packets of 40, 576 and 1500 bytes, 7 : 4 : 1 (the simple IMIX that RFC 6985, section 1, refers to), the first
 * padded to Ethernet's minimum; in an order that spreads the sizes. */
const struct profile_mix *profile_mix(enum traffic_profile profile)
{
	static const uint8_t only[] = {0}, imix[] = {0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 1, 0};
	static const struct profile_mix mixes[] = {
		[PROFILE_64] = {{60}, 1, only, 1},
		[PROFILE_128] = {{124}, 1, only, 1},
		[PROFILE_256] = {{252}, 1, only, 1},
		[PROFILE_512] = {{508}, 1, only, 1},
		[PROFILE_1024] = {{1020}, 1, only, 1},
		[PROFILE_1500] = {{1496}, 1, only, 1},
		[PROFILE_1518] = {{1514}, 1, only, 1},
		[PROFILE_IMIX] = {{60, 590, 1514}, 3, imix, sizeof(imix)},
	};
	return &mixes[profile];
}
