/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "sums.h"
#include "talk.h"

#define RECORD_BYTES 4u
#define QUOTED_MIN 28u /* an IP header and 8 bytes: RFC 792 */
#define QUOTED_MAX 128u

enum { IP_AT = 14, TTL_AT = IP_AT + 8, PROTOCOL_AT = IP_AT + 9, SOURCE_AT = IP_AT + 12, L4_AT = IP_AT + 20 };

bool talk_next(const uint8_t **data, size_t *size, struct talk_record *r)
{
	const uint8_t *at = *data;

	if (*size < RECORD_BYTES)
		return false;
	r->kind = at[0] & 3;
	r->run = (at[0] & 4) != 0;
	r->words = at[0] >> 3;
	r->pause_s = at[1] * TALK_PAUSE_S;
	r->bytes = (uint32_t)(at[2] | at[3] << 8);
	if (r->bytes > TALK_FRAME_MAX)
		r->bytes = TALK_FRAME_MAX;
	if (r->bytes > *size - RECORD_BYTES)
		r->bytes = (uint32_t)(*size - RECORD_BYTES);
	r->data = at + RECORD_BYTES;
	*data += RECORD_BYTES + r->bytes;
	*size -= RECORD_BYTES + r->bytes;
	return true;
}

static void exchange(uint8_t *a, uint8_t *b, uint32_t bytes)
{
	uint8_t was[16];

	memcpy(was, a, bytes);
	memcpy(a, b, bytes);
	memcpy(b, was, bytes);
}

/* Also for IPv6, without extension headers. */
static void reply(const struct talk_frame *left, struct talk_frame *f)
{
	bool v6 = left->data[12] == 0x86;
	uint32_t l4 = v6 ? IP_AT + 40 : IP_AT + (left->data[IP_AT] & 0xfu) * 4;

	*f = *left;
	exchange(f->data, f->data + 6, 6);
	if (v6)
		exchange(f->data + IP_AT + 8, f->data + IP_AT + 24, 16);
	else
		exchange(f->data + SOURCE_AT, f->data + SOURCE_AT + 4, 4);
	if (!v6 && f->data[PROTOCOL_AT] == 1)
		f->data[l4] ^= 8; /* an echo request becomes a reply, and vice versa */
	else
		exchange(f->data + l4, f->data + l4 + 2, 2);
	f->data[v6 ? IP_AT + 7 : TTL_AT] = 64;
}

/* Destination unreachable, from the packet's destination. */
static void error(const struct talk_frame *left, uint32_t words, struct talk_frame *f)
{
	uint32_t quoted = words == 0 ? QUOTED_MAX : QUOTED_MIN + (words - 1) * 4;
	if (quoted > left->bytes - IP_AT)
		quoted = left->bytes - IP_AT;
	uint32_t total = 20 + 8 + quoted;

	memset(f->data, 0, sizeof(f->data));
	memcpy(f->data + 6, left->data, 6);
	f->data[12] = 0x08;
	f->data[IP_AT] = 0x45;
	f->data[IP_AT + 3] = (uint8_t)total;
	f->data[TTL_AT] = 64;
	f->data[PROTOCOL_AT] = 1;
	memcpy(f->data + SOURCE_AT, left->data + SOURCE_AT + 4, 4);
	memcpy(f->data + SOURCE_AT + 4, left->data + SOURCE_AT, 4);
	f->data[L4_AT] = 3;
	memcpy(f->data + L4_AT + 8, left->data + IP_AT, quoted);
	f->bytes = IP_AT + total;
}

void talk_frame(const struct talk_record *r, const struct talk_frame *left, struct talk_frame *f)
{
	f->bytes = 0;
	if (r->kind == TALK_REPAIRED || r->kind == TALK_AS_IT_IS) {
		memcpy(f->data, r->data, r->bytes);
		f->bytes = r->bytes;
	} else if (left->bytes >= L4_AT) {
		if (r->kind == TALK_REPLY)
			reply(left, f);
		else
			error(left, r->words, f);
		for (uint32_t i = 0; i < r->bytes && IP_AT + i < f->bytes; i++)
			f->data[IP_AT + i] ^= r->data[i];
	}
	if (r->kind != TALK_AS_IT_IS)
		sums_repair(f->data, f->bytes);
}
