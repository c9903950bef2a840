/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRAFFIC_CONFIG_H
#define TRAFFIC_CONFIG_H

#include <stdint.h>

#include "config/config.h"
#include "io/capture.h"

enum traffic_loop { TRAFFIC_FOREVER, TRAFFIC_ONCE };
enum traffic_replies { REPLIES_AS_IS, REPLIES_LEARNED };

struct traffic_settings {
	struct ipv4_prefix inside;
	struct capture capture;
	uint32_t copies;
	enum traffic_loop loop;
	enum traffic_replies replies;
	uint64_t seed;
	uint64_t ns_per_packet;
};

struct traffic_settings *traffic_configure(struct config *config);
void traffic_release(struct traffic_settings *settings);

#endif
