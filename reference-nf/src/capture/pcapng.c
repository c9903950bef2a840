/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pcapng (draft-ietf-opsawg-pcapng): sections of blocks; a section has its own byte order and its own interfaces.
 */
#include "capture/pcapng.h"

#define SECTION_HEADER 0x0a0d0d0au
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define INTERFACE_DESCRIPTION 1u
#define OBSOLETE_PACKET 2u
#define SIMPLE_PACKET 3u
#define ENHANCED_PACKET 6u
#define MIN_BLOCK_BYTES 12u /* type, length, length again */
#define MAX_INTERFACES 64u

struct section {
	struct {
		uint32_t link_type, snap_bytes;
	} interfaces[MAX_INTERFACES];
	uint32_t count;
};

/* The bytes between the two lengths of a block. */
struct body {
	size_t at;
	uint32_t bytes;
};

bool pcapng_recognise(const struct capture_reader *r)
{
	uint32_t type;

	if (r->bytes < 28)
		return false;
	memcpy(&type, r->data, sizeof(type)); /* reads the same in either byte order */
	return type == SECTION_HEADER;
}

static bool ends_within(struct capture_reader *r, const char *what)
{
	return r->sink->refuse(r, ": %s after frame %u is truncated or contradicts itself", what, r->number);
}

/* Determines the byte order, which the block's length needs. */
static bool begin_section(struct capture_reader *r, struct section *s, size_t at)
{
	if (r->bytes - at < 28)
		return ends_within(r, "a section header");
	r->swapped = false;
	r->swapped = capture_word(r, at + 8) == __builtin_bswap32(BYTE_ORDER_MAGIC);
	s->count = 0;
	if (capture_word(r, at + 8) == BYTE_ORDER_MAGIC)
		return true;
	return ends_within(r, "a section header");
}

static bool add_interface(struct capture_reader *r, struct section *s, struct body b)
{
	if (b.bytes < 8)
		return ends_within(r, "an interface");
	if (s->count == MAX_INTERFACES)
		return r->sink->refuse(r, " has more than %u interfaces in a section", MAX_INTERFACES);
	s->interfaces[s->count].link_type = capture_half(r, b.at);
	s->interfaces[s->count++].snap_bytes = capture_word(r, b.at + 4);
	return true;
}

/* head: bytes before the frame. */
static bool add_packet(struct capture_reader *r, const struct section *s, struct body b, uint32_t interface, size_t head)
{
	struct capture_record record = {
		.captured = capture_word(r, b.at + head - 8),
		.original = capture_word(r, b.at + head - 4),
		.data = r->data + b.at + head,
	};

	if (interface >= s->count || record.captured > b.bytes - head)
		return ends_within(r, "a packet");
	record.link_type = s->interfaces[interface].link_type;
	return r->sink->add(r, &record);
}

/* A simple packet belongs to the first interface; the snap length limits its length in the file. */
static bool add_simple_packet(struct capture_reader *r, const struct section *s, struct body b)
{
	if (b.bytes < 4 || s->count == 0)
		return ends_within(r, "a packet");
	struct capture_record record = {
		.link_type = s->interfaces[0].link_type,
		.original = capture_word(r, b.at),
		.data = r->data + b.at + 4,
	};
	uint32_t snap = s->interfaces[0].snap_bytes;
	record.captured = snap != 0 && record.original > snap ? snap : record.original;
	if (record.captured > b.bytes - 4)
		return ends_within(r, "a packet");
	return r->sink->add(r, &record);
}

static bool read_block(struct capture_reader *r, struct section *s, uint32_t type, struct body b)
{
	switch (type) {
	case INTERFACE_DESCRIPTION:
		return add_interface(r, s, b);
	case ENHANCED_PACKET:
		return b.bytes < 20 ? ends_within(r, "a packet") : add_packet(r, s, b, capture_word(r, b.at), 20);
	case OBSOLETE_PACKET:
		return b.bytes < 20 ? ends_within(r, "a packet")
				    : add_packet(r, s, b, capture_half(r, b.at), 20);
	case SIMPLE_PACKET:
		return add_simple_packet(r, s, b);
	default: /* names, statistics, comments, secrets */
		return true;
	}
}

bool pcapng_read(struct capture_reader *r)
{
	struct section section = {.count = 0};
	size_t at = 0;

	while (at < r->bytes) {
		if (r->bytes - at < MIN_BLOCK_BYTES)
			return ends_within(r, "a block");
		uint32_t type = capture_word(r, at);
		if (type == SECTION_HEADER && !begin_section(r, &section, at))
			return false;
		uint32_t length = capture_word(r, at + 4);
		if (length < MIN_BLOCK_BYTES || length % 4 != 0 || length > r->bytes - at ||
		    capture_word(r, at + length - 4) != length)
			return ends_within(r, "a block");
		if (!read_block(r, &section, type, (struct body){at + 8, length - MIN_BLOCK_BYTES}))
			return false;
		at += length;
	}
	return true;
}
