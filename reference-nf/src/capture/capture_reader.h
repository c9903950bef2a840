/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of both file formats' readers: they take bytes and pass frames, or a reason, to the sink.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct capture_reader;

struct capture_record {
	const uint8_t *data;
	uint32_t link_type, captured, original; /* bytes in the file; bytes on the wire */
};

/* Receives what a reader reads. */
struct capture_sink {
	/* false: refused. */
	bool (*add)(struct capture_reader *reader, const struct capture_record *record);
	/* Reports why the file cannot be read. Always returns false. */
	bool (*refuse)(struct capture_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
};

struct capture_reader {
	const uint8_t *data; /* the whole file */
	size_t bytes;
	bool swapped;	 /* the file's byte order is not this machine's */
	uint32_t number; /* frames that the sink received */
	const struct capture_sink *sink;
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

#endif
