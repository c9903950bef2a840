/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames of a capture file (pcap or pcapng, either byte order, Ethernet), whole in memory.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_frame {
	const uint8_t *data;
	uint32_t bytes;
};

struct capture {
	uint8_t *file; /* the frames point into it */
	struct capture_frame *frames;
	uint32_t count;
	uint32_t skipped;
};

/* Frames that cannot be sent as they were: cut short when they were captured, too long for a packet buffer, or of
 * another link type than Ethernet. */
enum capture_unfit { UNFIT_REFUSE, UNFIT_SKIP };

struct capture_terms {
	uint32_t max_frame_bytes;
	enum capture_unfit unfit;
};

/* false: why, a sentence for a person, is in reason. */
bool capture_load(struct capture *capture, const char *path, const struct capture_terms *terms, char *reason,
		  size_t size);
void capture_free(struct capture *capture);

#endif
