/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads all frames of a capture file into memory: pcap or pcapng, either byte order, Ethernet.
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

/* Frames that cannot be sent unchanged: truncated when captured, too long for a packet buffer, or not Ethernet. */
enum capture_unfit { UNFIT_REFUSE, UNFIT_SKIP };

struct capture_terms {
	uint32_t max_frame_bytes;
	enum capture_unfit unfit;
};

/* false: reason has a sentence for people. */
bool capture_load(struct capture *capture, const char *path, const struct capture_terms *terms, char *reason,
		  size_t size);
void capture_free(struct capture *capture);

#endif
