/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A parsed frame: rx parses it once, every stage reads the result. docs/behaviour.md, Parsing.
 */
#ifndef PACKET_H
#define PACKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>

#define ETHER_BYTES 14u
#define IPV4_MIN_BYTES 20u
#define IPV6_BYTES 40u
#define IPV6_EXTENSIONS_MAX 8u /* headers to follow; a packet with more is PACKET_BAD_L4 */
#define TCP_MIN_BYTES 20u
#define UDP_BYTES 8u
#define ICMP_MIN_BYTES 8u

enum packet_kind {
	PACKET_L4,        /* a whole TCP, UDP or ICMP header */
	PACKET_OTHER,     /* another protocol */
	PACKET_BAD_L4,    /* a transport or extension header that is truncated or contradicts itself */
	PACKET_FRAGMENT,  /* any fragment */
	PACKET_MALFORMED, /* no Ethernet or no valid IP header */
	PACKET_VLAN,
	PACKET_NOT_IP,
};

/* Offsets are in bytes from the frame's beginning. protocol is set for every kind but the last three, the fields after
 * it only for PACKET_L4. */
struct packet {
	uint8_t kind;	  /* enum packet_kind */
	uint8_t version;  /* 4, 6; 0: not IP, or in a VLAN */
	uint8_t protocol; /* of IPv6: after the extension headers */
	uint8_t reserved;
	uint16_t l4;
	uint16_t payload;
	uint16_t payload_bytes;
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "kind is the low byte of the word that packet_word() loads");

/* kind and version in one load. */
static inline uint16_t packet_word(const struct packet *p)
{
	uint16_t word;
	memcpy(&word, p, sizeof(word));
	return word;
}

#define PACKET_WORD(version, kind) ((uint16_t)((version) << 8 | (kind)))

static inline struct rte_ipv4_hdr *packet_ipv4(uint8_t *frame)
{
	return (struct rte_ipv4_hdr *)(void *)(frame + ETHER_BYTES);
}

static inline struct rte_ipv6_hdr *packet_ipv6(uint8_t *frame)
{
	return (struct rte_ipv6_hdr *)(void *)(frame + ETHER_BYTES);
}

/* Words in the frame's byte order, unaligned. */
static inline uint16_t load16(const void *at)
{
	uint16_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint32_t load32(const void *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static inline void store16(void *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline uint16_t load_be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* One's complement sum of a header of whole words of 4 bytes, in the frame's byte order (RFC 1071, 2); 0xffff for a
 * header with a right checksum. */
static inline uint16_t ipv4_header_sum(const uint8_t *header, uint32_t bytes)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < bytes; i += 4)
		sum += load32(header + i);
	sum += sum << 32 | sum >> 32; /* the upper half: both halves, and what they carry */
	uint32_t words = (uint32_t)(sum >> 32);
	words += words << 16 | words >> 16;
	return (uint16_t)(words >> 16);
}

static inline enum packet_kind packet_parse_l4(const uint8_t *l4, uint32_t bytes, struct packet *p)
{
	uint32_t header, end = bytes;

	switch (p->protocol) {
	case IPPROTO_TCP:
		if (bytes < TCP_MIN_BYTES)
			return PACKET_BAD_L4;
		header = (uint32_t)(l4[12] >> 4) * 4;
		if (header < TCP_MIN_BYTES || header > bytes)
			return PACKET_BAD_L4;
		break;
	case IPPROTO_UDP:
		if (bytes < UDP_BYTES)
			return PACKET_BAD_L4;
		header = UDP_BYTES;
		end = load_be16(l4 + 4);
		if (end < UDP_BYTES || end > bytes)
			return PACKET_BAD_L4;
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		if ((p->protocol == IPPROTO_ICMP) != (p->version == 4))
			return PACKET_OTHER;
		if (bytes < ICMP_MIN_BYTES)
			return PACKET_BAD_L4;
		header = end = ICMP_MIN_BYTES;
		break;
	default:
		return PACKET_OTHER;
	}
	p->payload = (uint16_t)(p->l4 + header);
	p->payload_bytes = (uint16_t)(end - header);
	return PACKET_L4;
}

/* The sum of an IPv4 header, as far as the NIC has reported it. */
enum packet_sum { PACKET_SUM_UNKNOWN, PACKET_SUM_RIGHT, PACKET_SUM_WRONG };

static inline bool packet_sum_right(const uint8_t *header, uint32_t bytes, enum packet_sum sum)
{
	return sum == PACKET_SUM_UNKNOWN ? ipv4_header_sum(header, bytes) == 0xffff : sum == PACKET_SUM_RIGHT;
}

/* header: its bytes, from 20. The frame has at least 34. */
static inline __attribute__((always_inline)) enum packet_kind packet_parse_ipv4_of(const uint8_t *frame, uint32_t bytes,
										    uint32_t header, struct packet *p,
										    enum packet_sum sum)
{
	const uint8_t *ip = frame + ETHER_BYTES;
	uint32_t total = load_be16(ip + 2);

	if (total < header || total > bytes - ETHER_BYTES || !packet_sum_right(ip, header, sum))
		return PACKET_MALFORMED;
	p->protocol = ip[9];
	if (load_be16(ip + 6) & 0x3fff)
		return PACKET_FRAGMENT;
	p->l4 = (uint16_t)(ETHER_BYTES + header);
	return packet_parse_l4(frame + p->l4, total - header, p);
}

static inline enum packet_kind packet_parse_ipv4(const uint8_t *frame, uint32_t bytes, struct packet *p,
						 enum packet_sum sum)
{
	if (bytes < ETHER_BYTES + IPV4_MIN_BYTES)
		return PACKET_MALFORMED;
	uint8_t first = frame[ETHER_BYTES];
	if (likely(first == 0x45)) /* without options: the length is a constant */
		return packet_parse_ipv4_of(frame, bytes, IPV4_MIN_BYTES, p, sum);
	uint32_t header = (uint32_t)(first & 0xf) * 4;
	if (first >> 4 != 4 || header < IPV4_MIN_BYTES || ETHER_BYTES + header > bytes)
		return PACKET_MALFORMED;
	return packet_parse_ipv4_of(frame, bytes, header, p, sum);
}

/* Skips the extension headers (RFC 8200, section 4). ip is the IPv6 header, end the end of its payload. */
static inline enum packet_kind packet_parse_extensions(const uint8_t *ip, uint32_t end, struct packet *p)
{
	uint32_t at = IPV6_BYTES;

	p->protocol = ip[6];
	for (uint32_t i = 0; i <= IPV6_EXTENSIONS_MAX; i++) {
		uint32_t length;

		switch (p->protocol) {
		case IPPROTO_HOPOPTS:
		case IPPROTO_ROUTING:
		case IPPROTO_DSTOPTS:
			if (at + 8 > end)
				return PACKET_BAD_L4;
			length = ((uint32_t)ip[at + 1] + 1) * 8;
			break;
		case IPPROTO_AH: /* RFC 4302: its length counts 4 byte words, less 2 */
			if (at + 8 > end)
				return PACKET_BAD_L4;
			length = ((uint32_t)ip[at + 1] + 2) * 4;
			break;
		case IPPROTO_FRAGMENT:
			return at + 8 > end ? PACKET_BAD_L4 : PACKET_FRAGMENT;
		default:
			p->l4 = (uint16_t)(ETHER_BYTES + at);
			return packet_parse_l4(ip + at, end - at, p);
		}
		if (length > end - at)
			return PACKET_BAD_L4;
		p->protocol = ip[at];
		at += length;
	}
	return PACKET_BAD_L4;
}

static inline enum packet_kind packet_parse_ipv6(const uint8_t *frame, uint32_t bytes, struct packet *p)
{
	const uint8_t *ip = frame + ETHER_BYTES;

	if (bytes < ETHER_BYTES + IPV6_BYTES || ip[0] >> 4 != 6)
		return PACKET_MALFORMED;
	uint32_t payload = load_be16(ip + 4);
	if (payload > bytes - ETHER_BYTES - IPV6_BYTES)
		return PACKET_MALFORMED;
	return packet_parse_extensions(ip, IPV6_BYTES + payload, p);
}

static inline void packet_parse_summed(const uint8_t *frame, uint32_t bytes, struct packet *p, enum packet_sum sum)
{
	uint16_t type = likely(bytes >= ETHER_BYTES) ? load_be16(frame + 12) : 0;

	if (likely(type == RTE_ETHER_TYPE_IPV4)) {
		struct packet parsed = {.version = 4}; /* in registers: stores to *p and loads from frame cannot be told apart */
		parsed.kind = (uint8_t)packet_parse_ipv4(frame, bytes, &parsed, sum);
		*p = parsed;
		return;
	}
	p->version = 0;
	p->protocol = 0;
	if (type == RTE_ETHER_TYPE_IPV6) {
		p->version = 6;
		p->kind = (uint8_t)packet_parse_ipv6(frame, bytes, p);
	} else if (type == RTE_ETHER_TYPE_VLAN || type == RTE_ETHER_TYPE_QINQ) {
		p->kind = PACKET_VLAN;
	} else {
		p->kind = bytes < ETHER_BYTES ? PACKET_MALFORMED : PACKET_NOT_IP;
	}
}

static inline void packet_parse(const uint8_t *frame, uint32_t bytes, struct packet *p)
{
	packet_parse_summed(frame, bytes, p, PACKET_SUM_UNKNOWN);
}

#endif
