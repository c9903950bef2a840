/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L2FWD_SETTINGS_H
#define L2FWD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define L2FWD_STATIONS_MAX (1u << 22)

/* Addresses lie in numbers as a frame's bytes lie in memory: the first byte is the lowest. */
struct l2fwd_station {
	uint64_t address;
	bool forward; /* false: frames to it are filtered */
};

struct l2fwd_settings {
	struct l2fwd_station *stations; /* each address once */
	uint32_t count;
	bool floods; /* frames to unknown stations go on */
	bool switches_ip; /* false: frames with an IP packet are left to the stages behind */
};

#endif
