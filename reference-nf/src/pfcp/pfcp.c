/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "pfcp/pfcp.h"

#define VERSION 1u
#define LENGTH_AT 2u
#define COUNTED_FROM 4u /* what the length counts begins here */
#define IE_HEADER 4u

enum { HAS_SEID = 1 };

bool pfcp_read_header(const uint8_t *data, size_t bytes, struct pfcp_header *h)
{
	if (bytes < 8)
		return false;
	*h = (struct pfcp_header){.version = data[0] >> 5, .type = data[1], .has_seid = (data[0] & HAS_SEID) != 0};
	uint32_t all = COUNTED_FROM + (uint32_t)pfcp_number(data + LENGTH_AT, 2), own = h->has_seid ? 16 : 8;

	if (h->version != VERSION) {
		h->sequence = (uint32_t)pfcp_number(data + 4, 3);
		return true;
	}
	if (all > bytes || all < own)
		return false;
	if (h->has_seid)
		h->seid = pfcp_number(data + 4, 8);
	h->sequence = (uint32_t)pfcp_number(data + own - 4, 3);
	h->body = data + own;
	h->body_bytes = all - own;
	return true;
}

bool pfcp_next(struct pfcp_reader *r, struct pfcp_ie *ie)
{
	size_t left = (size_t)(r->end - r->at);

	if (left == 0 || r->broken)
		return false;
	r->broken = left < IE_HEADER || pfcp_number(r->at + 2, 2) > left - IE_HEADER;
	if (r->broken)
		return false;
	*ie = (struct pfcp_ie){
		.type = (uint16_t)pfcp_number(r->at, 2),
		.bytes = (uint16_t)pfcp_number(r->at + 2, 2),
		.value = r->at + IE_HEADER,
	};
	r->at += IE_HEADER + ie->bytes;
	return true;
}

static void put_number(uint8_t *at, uint64_t number, uint32_t bytes)
{
	for (uint32_t i = bytes; i-- > 0; number >>= 8)
		at[i] = (uint8_t)number;
}

static uint8_t *room(struct pfcp_writer *w, uint32_t bytes)
{
	uint8_t *at = w->data + w->bytes;

	if (bytes > sizeof(w->data) - w->bytes) {
		w->full = true;
		return NULL;
	}
	w->bytes += bytes;
	return at;
}

void pfcp_begin(struct pfcp_writer *w, uint8_t type, bool has_seid, uint64_t seid, uint32_t sequence)
{
	uint32_t own = has_seid ? 16 : 8;

	w->bytes = own;
	w->full = false;
	memset(w->data, 0, own);
	w->data[0] = (uint8_t)(VERSION << 5 | (has_seid ? HAS_SEID : 0));
	w->data[1] = type;
	if (has_seid)
		put_number(w->data + 4, seid, 8);
	put_number(w->data + own - 4, sequence, 3);
}

void pfcp_end(struct pfcp_writer *w)
{
	put_number(w->data + LENGTH_AT, w->bytes - COUNTED_FROM, 2);
}

void pfcp_put(struct pfcp_writer *w, uint16_t type, const void *value, uint32_t bytes)
{
	uint8_t *at = room(w, IE_HEADER + bytes);

	if (at == NULL)
		return;
	put_number(at, type, 2);
	put_number(at + 2, bytes, 2);
	if (bytes != 0)
		memcpy(at + IE_HEADER, value, bytes);
}

void pfcp_put_number(struct pfcp_writer *w, uint16_t type, uint64_t number, uint32_t bytes)
{
	uint8_t value[8];

	put_number(value, number, bytes);
	pfcp_put(w, type, value, bytes);
}

uint32_t pfcp_open_group(struct pfcp_writer *w, uint16_t type)
{
	uint32_t place = w->bytes;

	pfcp_put(w, type, NULL, 0);
	return place;
}

void pfcp_close_group(struct pfcp_writer *w, uint32_t place)
{
	if (!w->full)
		put_number(w->data + place + 2, w->bytes - place - IE_HEADER, 2);
}
