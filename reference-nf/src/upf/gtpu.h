/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The header of GTP-U, version 1, with its optional fields and extension headers (3GPP TS 29.281, 5.1 and 5.2).
 */
#ifndef GTPU_H
#define GTPU_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

#define GTPU_PORT 2152u
#define GTPU_BYTES 8u
#define GTPU_OPTIONAL_BYTES 4u	 /* sequence number, N-PDU number, type of the first extension header */
#define GTPU_EXTENSIONS_MAX 8u	 /* headers looked through; a packet with more is malformed */
#define GTPU_SESSION_CONTAINER 0x85u /* PDU Session Container: the QFI (TS 38.415) */
#define GTPU_COMPREHENSION 0x80u /* in the type of an extension header: who receives the packet has to know it */
#define GTPU_QFI_MASK 0x3fu

enum gtpu_flag { GTPU_HAS_NPDU = 1, GTPU_HAS_SEQUENCE = 2, GTPU_HAS_EXTENSION = 4 };
enum gtpu_type { GTPU_ECHO_REQUEST = 1, GTPU_ECHO_RESPONSE = 2, GTPU_G_PDU = 255 };

enum gtpu_fault {
	GTPU_SOUND,
	GTPU_MALFORMED,		/* another version, or lengths that contradict each other */
	GTPU_UNKNOWN_EXTENSION, /* one that has to be known, and is not */
};

/* Offsets in bytes from the header's begin; numbers in host byte order. */
struct gtpu {
	uint32_t teid;
	uint16_t payload, payload_bytes;
	uint16_t sequence; /* 0: none */
	uint8_t type;
	uint8_t qfi; /* 0: none told */
};

static inline uint32_t gtpu_load_be32(const uint8_t *at)
{
	return (uint32_t)load_be16(at) << 16 | load_be16(at + 2);
}

/* Extension headers from `at` up to `end`, the first of the type given. Each begins with its length in units of 4 bytes
 * and ends with the type of the next. */
static inline enum gtpu_fault gtpu_parse_extensions(const uint8_t *header, uint32_t at, uint32_t end, uint8_t type,
						    struct gtpu *g)
{
	for (uint32_t i = 0; type != 0; i++) {
		uint32_t bytes = at < end ? header[at] * 4u : 0;

		if (i == GTPU_EXTENSIONS_MAX || bytes == 0 || bytes > end - at)
			return GTPU_MALFORMED;
		if (type == GTPU_SESSION_CONTAINER)
			g->qfi = header[at + 2] & GTPU_QFI_MASK;
		else if ((type & GTPU_COMPREHENSION) != 0)
			return GTPU_UNKNOWN_EXTENSION;
		type = header[at + bytes - 1];
		at += bytes;
	}
	g->payload = (uint16_t)at;
	g->payload_bytes = (uint16_t)(end - at);
	return GTPU_SOUND;
}

/* The header at the begin of a UDP payload. What follows the message is left alone. */
static inline enum gtpu_fault gtpu_parse(const uint8_t *header, uint32_t bytes, struct gtpu *g)
{
	if (bytes < GTPU_BYTES || header[0] >> 4 != 3) /* version 1, and protocol type GTP */
		return GTPU_MALFORMED;
	uint32_t end = GTPU_BYTES + load_be16(header + 2);
	uint8_t flags = header[0] & (GTPU_HAS_NPDU | GTPU_HAS_SEQUENCE | GTPU_HAS_EXTENSION);

	if (end > bytes || (flags != 0 && end < GTPU_BYTES + GTPU_OPTIONAL_BYTES))
		return GTPU_MALFORMED;
	*g = (struct gtpu){
		.type = header[1],
		.teid = gtpu_load_be32(header + 4),
		.payload = GTPU_BYTES,
		.payload_bytes = (uint16_t)(end - GTPU_BYTES),
	};
	if (flags == 0)
		return GTPU_SOUND;
	if ((flags & GTPU_HAS_SEQUENCE) != 0)
		g->sequence = load_be16(header + GTPU_BYTES);
	return gtpu_parse_extensions(header, GTPU_BYTES + GTPU_OPTIONAL_BYTES, end,
				     (flags & GTPU_HAS_EXTENSION) != 0 ? header[GTPU_BYTES + 3] : 0, g);
}

#endif
