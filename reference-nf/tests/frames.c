/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "frames.h"

uint32_t get32(const uint8_t *at)
{
	return IP(at[0], at[1], at[2], at[3]);
}

uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

void put32(uint8_t *at, uint32_t value)
{
	put16(at, (uint16_t)(value >> 16));
	put16(at + 2, (uint16_t)value);
}

static uint32_t sum(const uint8_t *data, uint32_t bytes)
{
	uint32_t s = 0;
	for (uint32_t i = 0; i + 1 < bytes; i += 2)
		s += get16(data + i);
	if (bytes % 2 != 0)
		s += (uint32_t)data[bytes - 1] << 8;
	return s;
}

static uint16_t fold(uint32_t s)
{
	while (s >> 16 != 0)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

static uint32_t header_bytes(const uint8_t *data)
{
	return (uint32_t)(data[AT_IP] & 0xf) * 4;
}

/* Sum over the transport segment, with the pseudo-header if there is one. */
static uint16_t l4_sum(const uint8_t *data)
{
	uint32_t header = header_bytes(data), bytes = get16(data + AT_IP + 2) - header;
	uint8_t protocol = data[AT_IP + 9];
	uint32_t s = sum(data + AT_IP + header, bytes);
	if (protocol != 1)
		s += sum(data + AT_SOURCE, 8) + protocol + bytes;
	return fold(s);
}

static uint8_t *l4_check(uint8_t *data)
{
	static const uint8_t offset[18] = {[1] = 2, [6] = 16, [17] = 6};
	return data + AT_IP + header_bytes(data) + offset[data[AT_IP + 9]];
}

void fix_checksums(struct frame *f)
{
	put16(f->data + AT_IP + 10, 0);
	put16(f->data + AT_IP + 10, (uint16_t)~fold(sum(f->data + AT_IP, header_bytes(f->data))));
	put16(l4_check(f->data), 0);
	uint16_t check = (uint16_t)~l4_sum(f->data);
	put16(l4_check(f->data), check == 0 && f->data[AT_IP + 9] == 17 ? 0xffff : check);
}

bool checksums_right(const uint8_t *data, uint32_t bytes)
{
	uint8_t copy[1600];
	memcpy(copy, data, bytes);
	bool no_udp_sum = copy[AT_IP + 9] == 17 && get16(l4_check(copy)) == 0;
	return fold(sum(copy + AT_IP, header_bytes(copy))) == 0xffff && (no_udp_sum || l4_sum(copy) == 0xffff);
}

struct frame make_frame(uint8_t protocol, uint32_t source, uint16_t source_port, uint32_t destination,
			uint16_t destination_port, const char *payload, uint32_t payload_bytes)
{
	uint32_t header = protocol == 6 ? 20 : 8;
	struct frame f = {.bytes = AT_L4 + header + payload_bytes};
	uint8_t *l4 = f.data + AT_L4;

	put16(f.data + AT_TYPE, 0x0800);
	f.data[AT_IP] = 0x45;
	put16(f.data + AT_IP + 2, (uint16_t)(f.bytes - AT_IP));
	f.data[AT_TTL] = 64;
	f.data[AT_IP + 9] = protocol;
	put32(f.data + AT_SOURCE, source);
	put32(f.data + AT_DESTINATION, destination);
	if (protocol == 1) {
		l4[0] = 8;
		put16(l4 + 4, source_port);
	} else {
		put16(l4, source_port);
		put16(l4 + 2, destination_port);
	}
	if (protocol == 6)
		l4[12] = 0x50;
	if (protocol == 17)
		put16(l4 + 4, (uint16_t)(header + payload_bytes));
	if (payload_bytes != 0)
		memcpy(l4 + header, payload, payload_bytes);
	fix_checksums(&f);
	return f;
}

void set_icmp_type(struct frame *f, uint8_t type)
{
	f->data[AT_L4] = type;
	fix_checksums(f);
}

void set_ttl(struct frame *f, uint8_t ttl)
{
	f->data[AT_TTL] = ttl;
	fix_checksums(f);
}
