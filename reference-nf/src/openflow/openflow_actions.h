/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What actions change in a frame. An action on a header that the packet does not have, or that cannot be changed alone
 * (the addresses of a fragment are part of a checksum in another one), ends the packet.
 */
#ifndef OPENFLOW_ACTIONS_H
#define OPENFLOW_ACTIONS_H

#include <rte_byteorder.h>

#include "l3fwd/l3fwd_rewrite.h"
#include "openflow/openflow_settings.h"
#include "packet/checksum.h"
#include "stage.h"

#define OPENFLOW_OUTCOMES(OUTCOME)                                                                                     \
	OUTCOME(OPENFLOW_SENT_OUT, "output", NALM_KIND_PASS)                                                           \
	OUTCOME(OPENFLOW_MISSED, "missed", NALM_KIND_POLICY)                                                           \
	OUTCOME(OPENFLOW_DROPPED, "dropped", NALM_KIND_POLICY)                                                         \
	OUTCOME(OPENFLOW_METERED, "metered", NALM_KIND_POLICY)                                                         \
	OUTCOME(OPENFLOW_TTL_EXPIRED, "ttl_expired", NALM_KIND_BAD)                                                    \
	OUTCOME(OPENFLOW_UNFIT, "unfit", NALM_KIND_BAD)                                                                \
	OUTCOME(OPENFLOW_MALFORMED, "malformed", NALM_KIND_BAD)                                                        \
	OUTCOME(OPENFLOW_VLAN, "vlan", NALM_KIND_BAD)

enum openflow_outcome { OPENFLOW_OUTCOMES(STAGE_OUTCOME_ID) };

/* What an action gives: the packet goes on. */
#define OPENFLOW_GOES_ON OPENFLOW_SENT_OUT

enum {
	OPENFLOW_AT_SOURCE_MAC = 6,
	OPENFLOW_AT_TYPE = 12,
	OPENFLOW_AT_TOS = ETHER_BYTES + 1,
	OPENFLOW_AT_HOP_LIMIT = ETHER_BYTES + 7,
	OPENFLOW_AT_TTL = ETHER_BYTES + 8,
	OPENFLOW_AT_CHECK = ETHER_BYTES + 10,
	OPENFLOW_AT_IPV4_SRC = ETHER_BYTES + 12,
	OPENFLOW_AT_IPV4_DST = ETHER_BYTES + 16,
	OPENFLOW_AT_IPV6_SRC = ETHER_BYTES + 8,
	OPENFLOW_AT_IPV6_DST = ETHER_BYTES + 24,
};

static inline enum openflow_outcome openflow_decrement_ttl(uint8_t *frame, const struct packet *p)
{
	uint8_t *ttl = frame + (p->version == 4 ? OPENFLOW_AT_TTL : OPENFLOW_AT_HOP_LIMIT);

	if (p->version == 0)
		return OPENFLOW_UNFIT;
	if (*ttl <= 1)
		return OPENFLOW_TTL_EXPIRED;
	if (p->version == 4)
		decrement_ttl(ttl);
	else
		--*ttl;
	return OPENFLOW_GOES_ON;
}

static inline void openflow_set_mac(uint8_t *at, uint64_t address)
{
	uint64_t bytes = rte_cpu_to_be_64(address << 16);

	memcpy(at, &bytes, 6);
}

static inline void openflow_mend(uint8_t *check, uint32_t delta)
{
	store16(check, checksum_apply(load16(check), delta));
}

static inline uint8_t openflow_dscp(const uint8_t *frame, const struct packet *p)
{
	return p->version == 4 ? frame[OPENFLOW_AT_TOS] >> 2 : (uint8_t)(load_be16(frame + ETHER_BYTES) >> 6 & 63);
}

static inline enum openflow_outcome openflow_set_dscp(uint8_t *frame, const struct packet *p, uint8_t dscp)
{
	uint8_t *ip = frame + ETHER_BYTES;
	uint16_t was = load16(ip);

	if (p->version == 0)
		return OPENFLOW_UNFIT;
	if (p->version == 4) {
		ip[1] = (uint8_t)(dscp << 2 | (ip[1] & 3));
		openflow_mend(frame + OPENFLOW_AT_CHECK, checksum_delta16(was, load16(ip)));
	} else {
		ip[0] = (uint8_t)(0x60 | dscp >> 2);
		ip[1] = (uint8_t)((dscp & 3) << 6 | (ip[1] & 0x3f));
	}
	return OPENFLOW_GOES_ON;
}

/* Drop precedence of the assured forwarding classes (RFC 2597), by as much as it can go up. */
static inline void openflow_remark(uint8_t *frame, const struct packet *p, uint8_t levels)
{
	if (p->version == 0)
		return;
	uint8_t dscp = openflow_dscp(frame, p), class = dscp >> 3, precedence = dscp >> 1 & 3;
	if (class < 1 || class > 4 || precedence < 1 || (dscp & 1) != 0)
		return;
	precedence = (uint8_t)(precedence + levels > 3 ? 3 : precedence + levels);
	(void)openflow_set_dscp(frame, p, (uint8_t)(class << 3 | precedence << 1));
}

/* Mends the checksums of IPv4 and of TCP and UDP, which have the address in their pseudo-header. */
static inline enum openflow_outcome openflow_set_ipv4(uint8_t *frame, const struct packet *p, uint32_t at, uint32_t address)
{
	uint32_t is = rte_cpu_to_be_32(address), was = load32(frame + at);
	uint32_t delta = checksum_delta32(was, is);

	if (p->version != 4 || p->kind == PACKET_FRAGMENT || p->kind == PACKET_BAD_L4)
		return OPENFLOW_UNFIT;
	memcpy(frame + at, &is, sizeof(is));
	openflow_mend(frame + OPENFLOW_AT_CHECK, delta);
	if (p->kind == PACKET_L4 && p->protocol == IPPROTO_TCP) {
		openflow_mend(frame + p->l4 + 16, delta);
	} else if (p->kind == PACKET_L4 && p->protocol == IPPROTO_UDP) {
		uint8_t *check = frame + p->l4 + 6;
		store16(check, checksum_apply_udp(load16(check), delta));
	}
	return OPENFLOW_GOES_ON;
}

/* One action that changes the packet. */
static inline enum openflow_outcome openflow_change(uint8_t *frame, const struct packet *p, uint32_t kind, uint64_t value)
{
	switch (kind) {
	case OPENFLOW_DEC_TTL:
		return openflow_decrement_ttl(frame, p);
	case OPENFLOW_SET_ETH_DST:
		openflow_set_mac(frame, value);
		return OPENFLOW_GOES_ON;
	case OPENFLOW_SET_ETH_SRC:
		openflow_set_mac(frame + OPENFLOW_AT_SOURCE_MAC, value);
		return OPENFLOW_GOES_ON;
	case OPENFLOW_SET_DSCP:
		return openflow_set_dscp(frame, p, (uint8_t)value);
	case OPENFLOW_SET_IPV4_SRC:
		return openflow_set_ipv4(frame, p, OPENFLOW_AT_IPV4_SRC, (uint32_t)value);
	case OPENFLOW_SET_IPV4_DST:
		return openflow_set_ipv4(frame, p, OPENFLOW_AT_IPV4_DST, (uint32_t)value);
	default:
		return OPENFLOW_GOES_ON;
	}
}

#endif
