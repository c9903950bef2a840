/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames of a pcap file (classic format, either byte order, Ethernet), whole in memory.
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
};

/* false: why, a sentence for a person, is in reason. */
bool capture_load(struct capture *capture, const char *path, uint32_t max_frame_bytes, char *reason, size_t size);
void capture_free(struct capture *capture);

#endif
