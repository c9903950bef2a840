/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parsing: every kind, every cut, and arbitrary bytes, which must not make it read outside the frame (ASan watches:
 * the frames are malloc'ed to their exact size).
 */
#include "check.h"
#include "frames.h"
#include "packet.h"

static struct packet parse(const uint8_t *data, uint32_t bytes)
{
	struct packet p = {0};
	uint8_t *exact = malloc(bytes == 0 ? 1 : bytes);
	CHECK(exact != NULL);
	memcpy(exact, data, bytes);
	packet_parse(exact, bytes, &p);
	free(exact);
	return p;
}

static void every_cut_is_malformed(void)
{
	static const uint8_t protocols[] = {6, 17, 1};
	for (uint32_t i = 0; i < 3; i++) {
		struct frame f = make_frame(protocols[i], 1, 2, 3, 4, "payload", 7);
		CHECK_EQUAL(parse(f.data, f.bytes).kind, PACKET_L4);
		for (uint32_t bytes = 0; bytes < f.bytes; bytes++)
			CHECK_EQUAL(parse(f.data, bytes).kind, PACKET_MALFORMED);
	}
}

static void payload_bounds(void)
{
	struct frame f = make_frame(17, 1, 2, 3, 4, "payload", 7);
	f.bytes += 9; /* padding of the frame */
	struct packet p = parse(f.data, f.bytes);
	CHECK_EQUAL(p.l4, 34);
	CHECK_EQUAL(p.payload, 42);
	CHECK_EQUAL(p.payload_bytes, 7);
}

static void ip_options_are_skipped(void)
{
	struct frame f = make_frame(17, 1, 2, 3, 4, "payload", 7);
	memmove(f.data + 38, f.data + 34, f.bytes - 34);
	memset(f.data + 34, 1, 4); /* four no-operations */
	f.bytes += 4;
	f.data[AT_IP] = 0x46;
	put16(f.data + AT_IP + 2, (uint16_t)(f.bytes - AT_IP));
	fix_checksums(&f);
	struct packet p = parse(f.data, f.bytes);
	CHECK_EQUAL(p.kind, PACKET_L4);
	CHECK_EQUAL(p.l4, 38);
}

static void contradictions(void)
{
	static const struct {
		uint8_t protocol;
		uint32_t at;
		uint8_t value;
		enum packet_kind kind;
	} cases[] = {
		{6, AT_L4 + 12, 0x40, PACKET_BAD_L4}, {6, AT_L4 + 12, 0xf0, PACKET_BAD_L4},
		{17, AT_L4 + 5, 7, PACKET_BAD_L4},    {17, AT_L4 + 5, 16, PACKET_BAD_L4},
		{6, AT_IP, 0x55, PACKET_MALFORMED},   {6, AT_IP, 0x44, PACKET_MALFORMED},
		{6, AT_IP + 3, 19, PACKET_MALFORMED}, {6, AT_IP + 2, 9, PACKET_MALFORMED},
		{6, AT_IP + 9, 132, PACKET_OTHER},    {6, AT_FRAGMENT, 0x20, PACKET_FRAGMENT},
		{6, AT_FRAGMENT + 1, 1, PACKET_FRAGMENT}, {6, AT_FRAGMENT, 0x40, PACKET_L4}, /* do not fragment */
	};
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = make_frame(cases[i].protocol, 1, 2, 3, 4, "payload", 7);
		f.data[cases[i].at] = cases[i].value;
		put16(f.data + AT_IP + 10, 0); /* the header checksum is not what is tested here */
		put16(f.data + AT_IP + 10, (uint16_t)~ipv4_header_sum(f.data + AT_IP, 20));
		CHECK_EQUAL(parse(f.data, f.bytes).kind, cases[i].kind);
	}
	struct frame f = make_frame(6, 1, 2, 3, 4, "payload", 7);
	f.data[AT_IP + 10] ^= 0x80;
	CHECK_EQUAL(parse(f.data, f.bytes).kind, PACKET_MALFORMED);
}

static void arbitrary_bytes(void)
{
	uint8_t data[128];
	uint32_t random = 1, kinds = 0;

	for (uint32_t n = 0; n < 300000; n++) {
		for (uint32_t i = 0; i < sizeof(data); i += 4) {
			random = random * 1664525 + 1013904223;
			put32(data + i, random ^ random >> 15);
		}
		put16(data + AT_TYPE, 0x0800);
		data[AT_IP] = (uint8_t)(0x40 | (random >> 8 & 7));
		put16(data + AT_IP + 2, (uint16_t)(random >> 11 & 127));
		put16(data + AT_FRAGMENT, 0);
		data[AT_IP + 9] = (random & 1) != 0 ? 6 : 17;
		uint32_t header = (uint32_t)(data[AT_IP] & 0xf) * 4, bytes = random >> 20 & 127;
		put16(data + AT_IP + 10, 0);
		put16(data + AT_IP + 10, (uint16_t)~ipv4_header_sum(data + AT_IP, header));
		struct packet p = parse(data, bytes);
		kinds |= 1u << p.kind;
		if (p.kind == PACKET_L4)
			CHECK((uint32_t)p.payload + p.payload_bytes <= bytes);
	}
	CHECK_EQUAL(kinds, 1u << PACKET_L4 | 1u << PACKET_BAD_L4 | 1u << PACKET_MALFORMED);
}

int main(void)
{
	RUN(every_cut_is_malformed);
	RUN(payload_bounds);
	RUN(ip_options_are_skipped);
	RUN(contradictions);
	RUN(arbitrary_bytes);
	return 0;
}
