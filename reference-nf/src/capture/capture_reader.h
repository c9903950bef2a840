/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of both file formats share: bytes in, frames or a reason out.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <string.h>

#include "capture/capture.h"

struct capture_reader {
	const char *path;
	struct capture *capture;
	const struct capture_terms *terms;
	const uint8_t *data; /* the whole file */
	size_t bytes;
	bool swapped;	 /* the file's byte order is not this machine's */
	uint32_t number; /* frames seen */
	char *reason;
	size_t reason_size;
};

struct capture_record {
	const uint8_t *data;
	uint32_t link_type, captured, original; /* bytes in the file; bytes on the wire */
};

static inline uint32_t capture_word(const struct capture_reader *r, size_t at)
{
	uint32_t value;
	memcpy(&value, r->data + at, sizeof(value));
	return r->swapped ? __builtin_bswap32(value) : value;
}

static inline uint16_t capture_half(const struct capture_reader *r, size_t at)
{
	uint16_t value;
	memcpy(&value, r->data + at, sizeof(value));
	return r->swapped ? __builtin_bswap16(value) : value;
}

/* Always false. */
bool capture_refuse(struct capture_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* false: refused. */
bool capture_add(struct capture_reader *reader, const struct capture_record *record);

bool pcap_recognise(struct capture_reader *reader);
bool pcap_read(struct capture_reader *reader);
bool pcapng_recognise(const struct capture_reader *reader);
bool pcapng_read(struct capture_reader *reader);

#endif
