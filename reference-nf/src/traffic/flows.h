/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Captures as traffic of many users: their inside endpoints, multiplied by `copies`, each with addresses of its own,
 * and the address that the far side saw for each.
 */
#ifndef FLOWS_H
#define FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/traffic_config.h"
#include "packet/packet.h"

#define FLOWS_NO_ENDPOINT UINT32_MAX

enum image_direction {
	IMAGE_PLAIN, /* sent unchanged */
	IMAGE_OUT,   /* from an inside endpoint */
	IMAGE_IN,    /* a reply to one */
};

/* One frame of the capture and the offsets to rewrite. */
struct image {
	const uint8_t *data;
	uint32_t bytes;
	uint32_t endpoint; /* index, for IMAGE_OUT and IMAGE_IN */
	uint8_t direction; /* enum image_direction */
	uint8_t protocol;
	uint8_t source, destination; /* offsets of the ports from the transport header; for ICMP: of the identifier */
	uint16_t l4;
};

/* An (endpoint, copy). Addresses and ports in network byte order. */
struct flow {
	uint32_t inside; /* address of the endpoint */
	uint32_t server; /* address of its far side */
	uint32_t seen;	 /* address and port that the far side saw: the sink writes, the generator reads */
	uint32_t answers; /* likewise, address and port of the far side as reached: a target's back end */
	uint16_t seen_port, answers_port;
	uint16_t server_port; /* of a target; 0: as captured */
	bool known; /* a packet of it has left the NF */
};

struct flows {
	struct image *images;
	uint32_t image_count;
	uint32_t part_end[PROFILE_MAX_PARTS]; /* the images of a part are adjacent */
	uint32_t parts;
	uint32_t *first_image; /* by endpoint: its first outgoing image */
	uint32_t endpoint_count;
	uint32_t copies;
	struct flow *flow; /* [endpoint * copies + copy] */
};

/* false: reported on stderr. */
bool flows_create(struct flows *flows, const struct traffic_settings *settings);
void flows_destroy(struct flows *flows);

#endif
