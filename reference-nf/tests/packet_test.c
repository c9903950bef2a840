/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parsing: every kind, every truncation, and arbitrary bytes, which must not make it read outside the frame (ASan
 * checks: the frames are allocated with their exact size).
 */
#include "check.h"
#include "frames.h"
#include "packet/packet.h"

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
		put16(f.data + AT_IP + 10, 0); /* the header checksum is not under test */
		store16(f.data + AT_IP + 10, (uint16_t)~ipv4_header_sum(f.data + AT_IP, 20));
		CHECK_EQUAL(parse(f.data, f.bytes).kind, cases[i].kind);
	}
	struct frame f = make_frame(6, 1, 2, 3, 4, "payload", 7);
	f.data[AT_IP + 10] ^= 0x80;
	CHECK_EQUAL(parse(f.data, f.bytes).kind, PACKET_MALFORMED);
}

/* RFC 1071's sum of 16-bit words, one by one. */
static uint16_t plain_sum(const uint8_t *header, uint32_t bytes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bytes; i += 2) {
		sum += load16(header + i);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

static void sums_of_any_header(void)
{
	uint8_t data[60];
	uint32_t random = 1;

	for (uint32_t n = 0; n < 100000; n++) {
		uint32_t bytes = 20 + n % 11 * 4;
		for (uint32_t i = 0; i < bytes; i++) {
			random = random * 1664525 + 1013904223;
			data[i] = n % 3 == 0 ? (uint8_t)(random >> 24) : n % 3 == 1 ? 0xff : (uint8_t)-(random >> 31);
		}
		CHECK_EQUAL(ipv4_header_sum(data, bytes), plain_sum(data, bytes));
	}
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
		store16(data + AT_IP + 10, (uint16_t)~ipv4_header_sum(data + AT_IP, header));
		struct packet p = parse(data, bytes);
		kinds |= 1u << p.kind;
		if (p.kind == PACKET_L4)
			CHECK((uint32_t)p.payload + p.payload_bytes <= bytes);
	}
	CHECK_EQUAL(kinds, 1u << PACKET_L4 | 1u << PACKET_BAD_L4 | 1u << PACKET_MALFORMED);
}

/* An IPv6 frame whose payload is `extensions` bytes of headers, the first of protocol `next`, and then UDP. */
static struct frame make_ipv6(uint8_t next, const uint8_t *extensions, uint32_t bytes)
{
	struct frame f = {.bytes = AT_IP + 40 + bytes + 8 + 4};

	memset(f.data, 0, f.bytes);
	put16(f.data + AT_TYPE, 0x86dd);
	f.data[AT_IP] = 0x60;
	put16(f.data + AT_IP + 4, (uint16_t)(bytes + 8 + 4));
	f.data[AT_IP + 6] = next;
	f.data[AT_IP + 7] = 64;
	memcpy(f.data + AT_IP + 40, extensions, bytes);
	put16(f.data + AT_IP + 40 + bytes + 4, 8 + 4);
	return f;
}

static void ipv6_extensions(void)
{
	static const struct {
		uint8_t next, headers[40];
		uint32_t bytes;
		enum packet_kind kind;
	} cases[] = {
		{17, {0}, 0, PACKET_L4},
		{0, {17, 0}, 8, PACKET_L4},			  /* hop by hop */
		{0, {43, 0, 0, 0, 0, 0, 0, 0, 17, 1}, 24, PACKET_L4}, /* then routing, of 16 bytes */
		{60, {17, 3}, 32, PACKET_L4},			  /* destination options of 32 bytes */
		{51, {17, 2}, 16, PACKET_L4},			  /* authentication: (2 + 2) words */
		{44, {17, 0}, 8, PACKET_FRAGMENT},
		{0, {44, 0, 0, 0, 0, 0, 0, 0, 17}, 16, PACKET_FRAGMENT},
		{0, {17, 9}, 8, PACKET_BAD_L4},	    /* longer than the packet */
		{58, {128, 0}, 0, PACKET_L4},	    /* ICMPv6 */
		{1, {0}, 0, PACKET_OTHER},	    /* ICMP is IPv4's */
		{50, {0}, 0, PACKET_OTHER},	    /* encrypted */
		{59, {0}, 0, PACKET_OTHER},	    /* no next header */
	};
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = make_ipv6(cases[i].next, cases[i].headers, cases[i].bytes);
		struct packet p = parse(f.data, f.bytes);
		CHECK_EQUAL(p.kind, cases[i].kind);
		CHECK_EQUAL(p.version, 6);
		if (p.kind == PACKET_L4 && p.protocol == 17)
			CHECK_EQUAL(p.l4, AT_IP + 40 + cases[i].bytes);
		for (uint32_t bytes = 0; bytes < f.bytes; bytes++)
			CHECK_EQUAL(parse(f.data, bytes).kind, PACKET_MALFORMED);
	}
}

static void ipv6_many_extensions(void)
{
	uint8_t headers[16 * 8] = {0};

	for (uint32_t n = 1; n <= 16; n++) {
		for (uint32_t i = 0; i < n; i++)
			headers[i * 8] = i + 1 == n ? 17 : 60;
		struct frame f = make_ipv6(60, headers, n * 8);
		CHECK_EQUAL(parse(f.data, f.bytes).kind, n <= IPV6_EXTENSIONS_MAX ? PACKET_L4 : PACKET_BAD_L4);
	}
}

static void arbitrary_ipv6(void)
{
	static const uint8_t protocols[] = {0, 43, 44, 51, 60, 6, 17, 58};
	uint8_t data[160];
	uint32_t random = 7, kinds = 0;

	for (uint32_t n = 0; n < 300000; n++) {
		for (uint32_t i = 0; i < sizeof(data); i++) {
			random = random * 1664525 + 1013904223;
			data[i] = random >> 24 & 1 ? protocols[random >> 16 & 7] : (uint8_t)(random >> 27);
		}
		uint32_t bytes = 54 + random % (sizeof(data) - 54 + 1);
		put16(data + AT_TYPE, 0x86dd);
		data[AT_IP] = 0x60;
		put16(data + AT_IP + 4, (uint16_t)(random >> 9 & 127));
		struct packet p = parse(data, bytes);
		kinds |= 1u << p.kind;
		if (p.kind == PACKET_L4)
			CHECK((uint32_t)p.payload + p.payload_bytes <= bytes);
	}
	CHECK_EQUAL(kinds, 1u << PACKET_L4 | 1u << PACKET_BAD_L4 | 1u << PACKET_MALFORMED | 1u << PACKET_OTHER |
				   1u << PACKET_FRAGMENT);
}

int main(void)
{
	RUN(every_cut_is_malformed);
	RUN(payload_bounds);
	RUN(ip_options_are_skipped);
	RUN(contradictions);
	RUN(sums_of_any_header);
	RUN(arbitrary_bytes);
	RUN(ipv6_extensions);
	RUN(ipv6_many_extensions);
	RUN(arbitrary_ipv6);
	return 0;
}
