/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "sums.h"

enum { IP_AT = 14, IP_MIN = 20, ICMP = 1, TCP = 6, UDP = 17 };

/* The parts of a frame that checksums cover. */
struct parts {
	uint32_t header, l4, l4_bytes, check; /* check: offset of the transport's checksum; 0: none */
	bool pseudo;
};

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t sum(const uint8_t *data, uint32_t bytes)
{
	uint32_t s = bytes % 2 == 0 ? 0 : (uint32_t)data[bytes - 1] << 8;

	for (uint32_t i = 0; i + 1 < bytes; i += 2)
		s += word(data + i);
	return s;
}

static uint16_t fold(uint32_t s)
{
	while (s >> 16 != 0)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

static void find_transport(const uint8_t *frame, struct parts *p)
{
	static const struct {
		uint8_t protocol, least, check;
	} known[] = {{ICMP, 8, 2}, {TCP, 20, 16}, {UDP, 8, 6}};
	const uint8_t *ip = frame + IP_AT;

	for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].protocol == ip[9] && known[i].least <= p->l4_bytes && (word(ip + 6) & 0x3fff) == 0)
			p->check = p->l4 + known[i].check;
	p->pseudo = ip[9] != ICMP;
	if (ip[9] != UDP || p->check == 0)
		return;
	if (word(frame + p->l4 + 4) >= 8 && word(frame + p->l4 + 4) <= p->l4_bytes)
		p->l4_bytes = word(frame + p->l4 + 4); /* later bytes are not in the datagram */
	else
		p->check = 0;
}

static bool find_parts(const uint8_t *frame, uint32_t bytes, struct parts *p)
{
	*p = (struct parts){0};
	if (bytes < IP_AT + IP_MIN || word(frame + 12) != 0x0800 || frame[IP_AT] >> 4 != 4)
		return false;
	uint32_t total = word(frame + IP_AT + 2);
	p->header = (uint32_t)(frame[IP_AT] & 0xf) * 4;
	if (p->header < IP_MIN || p->header > total || total > bytes - IP_AT)
		return false;
	p->l4 = IP_AT + p->header;
	p->l4_bytes = total - p->header;
	find_transport(frame, p);
	return true;
}

static uint16_t transport_sum(const uint8_t *frame, const struct parts *p)
{
	const uint8_t *ip = frame + IP_AT;
	uint32_t s = sum(frame + p->l4, p->l4_bytes);

	if (p->pseudo)
		s += sum(ip + 12, 8) + ip[9] + p->l4_bytes;
	return fold(s);
}

void sums_repair(uint8_t *frame, uint32_t bytes)
{
	struct parts p;

	if (!find_parts(frame, bytes, &p))
		return;
	put(frame + IP_AT + 10, 0);
	put(frame + IP_AT + 10, (uint16_t)~fold(sum(frame + IP_AT, p.header)));
	if (p.check == 0)
		return;
	put(frame + p.check, 0);
	uint16_t check = (uint16_t)~transport_sum(frame, &p);
	put(frame + p.check, check == 0 && frame[IP_AT + 9] == UDP ? 0xffff : check);
}

bool sums_header_right(const uint8_t *frame, uint32_t bytes)
{
	struct parts p;

	return find_parts(frame, bytes, &p) && fold(sum(frame + IP_AT, p.header)) == 0xffff;
}

bool sums_transport_right(const uint8_t *frame, uint32_t bytes)
{
	struct parts p;

	if (!find_parts(frame, bytes, &p) || p.check == 0)
		return false;
	bool none = frame[IP_AT + 9] == UDP && word(frame + p.check) == 0; /* RFC 768: not computed */
	return none || transport_sum(frame, &p) == 0xffff;
}
