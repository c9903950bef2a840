/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/checksum.h"
#include "packet/icmp_error.h"

#define ICMP_CHECKSUM_AT 2u
#define TCP_CHECKSUM_AT 16u
#define UDP_CHECKSUM_AT 6u
#define QUERY_ID_AT 4u
#define CARRIED_MIN 8u /* of the transport header: RFC 792 */

static bool sums_up(const uint8_t *data, uint32_t bytes)
{
	uint32_t sum = bytes % 2 == 0 ? 0 : (uint32_t)data[bytes - 1] << 8; /* at most 32 K words: no overflow */

	for (uint32_t i = 0; i + 1 < bytes; i += 2)
		sum += load_be16(data + i);
	return checksum_fold(sum) == 0xffff;
}

static enum icmp_error_fault find_ports(struct icmp_error *e)
{
	switch (e->protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
		e->source = 0;
		e->destination = 2;
		return ICMP_ERROR_SOUND;
	case IPPROTO_ICMP:
		e->source = e->destination = QUERY_ID_AT;
		return e->l4[0] == ICMP_ECHO || e->l4[0] == ICMP_ECHOREPLY ? ICMP_ERROR_SOUND : ICMP_ERROR_UNSUPPORTED;
	default:
		return ICMP_ERROR_UNSUPPORTED;
	}
}

enum icmp_error_fault icmp_error_parse(uint8_t *frame, const struct packet *p, struct icmp_error *e)
{
	uint32_t icmp_bytes = ETHER_BYTES + load_be16(frame + ETHER_BYTES + 2) - p->l4;

	if (icmp_bytes < ICMP_MIN_BYTES + IPV4_MIN_BYTES + CARRIED_MIN || !sums_up(frame + p->l4, icmp_bytes))
		return ICMP_ERROR_MALFORMED;
	e->ip = frame + p->l4 + ICMP_MIN_BYTES;
	uint32_t header = (uint32_t)(e->ip[0] & 0xf) * 4, bytes = icmp_bytes - ICMP_MIN_BYTES;
	if (e->ip[0] >> 4 != 4 || header < IPV4_MIN_BYTES || header + CARRIED_MIN > bytes ||
	    load_be16(e->ip + 2) < header + CARRIED_MIN || ipv4_header_sum(e->ip, header) != 0xffff)
		return ICMP_ERROR_MALFORMED;
	if (load_be16(e->ip + 6) & 0x1fff)
		return ICMP_ERROR_FRAGMENT;
	e->l4 = e->ip + header;
	e->l4_bytes = bytes - header;
	e->protocol = e->ip[9];
	return find_ports(e);
}

static uint8_t *address_at(const struct icmp_error *e, enum icmp_error_end end)
{
	return e->ip + (end == ICMP_ERROR_SOURCE ? 12 : 16);
}

static uint8_t *port_at(const struct icmp_error *e, enum icmp_error_end end)
{
	return e->l4 + (end == ICMP_ERROR_SOURCE ? e->source : e->destination);
}

uint32_t icmp_error_address(const struct icmp_error *e, enum icmp_error_end end)
{
	return load32(address_at(e, end));
}

uint16_t icmp_error_port(const struct icmp_error *e, enum icmp_error_end end)
{
	return load16(port_at(e, end));
}

/* Updates the quoted transport's checksum; returns the delta for the ICMP message's checksum. */
static uint32_t mend_transport(const struct icmp_error *e, uint32_t address_delta, uint32_t port_delta)
{
	uint8_t *check = e->l4 + ICMP_CHECKSUM_AT;
	uint32_t delta = address_delta + port_delta;

	if (e->protocol == IPPROTO_TCP) {
		check = e->l4 + TCP_CHECKSUM_AT;
		if (e->l4_bytes < TCP_CHECKSUM_AT + 2) /* the quote ends before it */
			return 0;
	} else if (e->protocol == IPPROTO_UDP) {
		check = e->l4 + UDP_CHECKSUM_AT;
	} else {
		delta = port_delta; /* ICMP has no pseudo-header */
	}
	uint16_t was = load16(check);
	uint16_t is = e->protocol == IPPROTO_UDP ? checksum_apply_udp(was, delta) : checksum_apply(was, delta);
	store16(check, is);
	return checksum_delta16(was, is);
}

void icmp_error_rewrite(uint8_t *frame, const struct packet *p, const struct icmp_error *e, enum icmp_error_end end,
			uint32_t address, uint16_t port)
{
	uint8_t *ip_check = e->ip + 10, *icmp_check = frame + p->l4 + ICMP_CHECKSUM_AT;
	uint32_t address_delta = checksum_delta32(load32(address_at(e, end)), address);
	uint32_t port_delta = checksum_delta16(load16(port_at(e, end)), port);
	uint16_t ip_was = load16(ip_check), ip_is = checksum_apply(ip_was, address_delta);

	memcpy(address_at(e, end), &address, sizeof(address));
	store16(port_at(e, end), port);
	store16(ip_check, ip_is);
	uint32_t delta = address_delta + port_delta + checksum_delta16(ip_was, ip_is) +
			 mend_transport(e, address_delta, port_delta);
	store16(icmp_check, checksum_apply(load16(icmp_check), delta));
}

void icmp_error_rewrite_address(uint8_t *frame, uint32_t at, uint32_t address)
{
	uint8_t *check = frame + ETHER_BYTES + 10;

	store16(check, checksum_apply(load16(check), checksum_delta32(load32(frame + at), address)));
	memcpy(frame + at, &address, sizeof(address));
}
