/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An input as packets over time: records of 4 bytes, each with data. A record may answer the NF's last packet, so that
 * replies and ICMP errors meet the state of earlier packets.
 *
 *   byte 0      bits 0 and 1: enum talk_kind; bit 2: the NF runs before it; above: words that an ICMP error
 *               quotes after the required minimum, 0: as many as it has room for
 *   byte 1      TALK_PAUSE_S times this many seconds pass before it, once the NF has run
 *   bytes 2, 3  how many bytes follow, little endian, at most TALK_FRAME_MAX: the frame, or changes of the answer
 */
#ifndef TALK_H
#define TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALK_FRAME_MAX 2048u
#define TALK_PAUSE_S 32u /* the longest pause exceeds any default idle time of a stage */

enum talk_kind {
	TALK_REPAIRED, /* a frame with corrected checksums */
	TALK_AS_IT_IS,
	TALK_REPLY, /* the NF's last packet with ends exchanged; the bytes change it from the IP header on (xor) */
	TALK_ERROR, /* an ICMP error about the NF's last packet, changed likewise */
};

struct talk_frame {
	uint8_t data[TALK_FRAME_MAX];
	uint32_t bytes; /* 0: none */
};

struct talk_record {
	enum talk_kind kind;
	bool run;
	uint32_t words;
	uint32_t pause_s;
	const uint8_t *data;
	uint32_t bytes;
};

/* Takes a record from the input. false: none is left. */
bool talk_next(const uint8_t **data, size_t *size, struct talk_record *record);
/* The record's frame; it has no bytes if there is no packet to answer. */
void talk_frame(const struct talk_record *record, const struct talk_frame *left, struct talk_frame *frame);

#endif
