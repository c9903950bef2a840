/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An input as packets over time: records of 4 bytes and what belongs to them. A record may answer what the NF sent
 * last, so that replies and ICMP errors meet the state that packets left behind.
 *
 *   byte 0      bits 0 and 1: enum talk_kind; bit 2: the NF runs before it; above: words that an ICMP error quotes behind
 *               the least there may be, 0: as many as it has room for
 *   byte 1      TALK_PAUSE_S times this many seconds pass before it, once the NF has run
 *   bytes 2, 3  how many bytes follow, little endian, at most TALK_FRAME_MAX: the frame, or what changes the answer
 */
#ifndef TALK_H
#define TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALK_FRAME_MAX 2048u
#define TALK_PAUSE_S 32u /* the longest pause is longer than any idle time a stage has by default */

enum talk_kind {
	TALK_REPAIRED, /* a frame whose checksums are made right */
	TALK_AS_IT_IS,
	TALK_REPLY, /* what the NF sent last, its ends exchanged; the bytes change it from the IP header on (xor) */
	TALK_ERROR, /* an ICMP error about that, changed likewise */
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

/* Takes a record off the input; false: there is none left. */
bool talk_next(const uint8_t **data, size_t *size, struct talk_record *record);
/* Its frame; without bytes where there is nothing to answer. */
void talk_frame(const struct talk_record *record, const struct talk_frame *left, struct talk_frame *frame);

#endif
